"""Pair, triplet and tuple losses taken apart: the pairs they touch, the plane of one triplet, the triplets that are left."""
