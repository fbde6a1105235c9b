"""The terms of the field that pages explain, and those that a text uses."""

import re
from functools import lru_cache

# The meaning of each term; other forms of the term follow it.
TERMS = {
    "embedding": "the vector that a net gives an image; here it has length 1, so it lies on a circle or sphere",
    "loss|losses": "one number for how wrong a batch's embeddings are; training makes it smaller",
    "gradient": "the direction in which the loss grows fastest; a training step goes the other way",
    "batch|batches": "the points of one training step; the loss compares them with each other",
    "pair": "two points: a positive pair has one class, a negative pair has two",
    "triplet": "three points: an anchor, a positive and a negative",
    "tuple": "several points that a loss compares at once, such as one positive pair and many negatives",
    "anchor": "the point from which the distances of a pair or triplet are measured",
    "positive": "a point of the same class as the anchor or query",
    "negative": "a point of another class than the anchor or query",
    "query|queries": "the point that is looked up: all others are ranked by their distance to it",
    "ranking|rankings|ranked": "all points in the order of their distance to a query, the nearest first",
    "proxy|proxies": "a learnt point that represents a class and is trained with the net",
    "sample": "a point that the net gives an image, as opposed to a proxy",
    "margin": "how much farther a negative must be than a positive before the loss stops pushing",
    "active": "having a gradient: a pair or triplet that the loss still moves",
    "hard negative|hard positive|hardest": "against the loss: a negative that is near, or a positive that is far",
    "semi-hard": "of a negative: farther than the positive, but by less than the margin",
    "mining|mined|mine|mines": "the choice of pairs or triplets that a loss counts",
    "hinge": "a loss that is 0 from a bound on, where its gradient ends",
    "logistic": "a hinge without its corner, log(1 + eˣ): it never is quite 0",
    "softmax": "turns numbers into shares that add up to 1; the largest number gets most",
    "logit": "a number that a softmax turns into a share",
    "temperature": "what numbers are divided by before a softmax; the smaller it is, the more the largest gets. Ranked List's "
    "T multiplies: the larger it is, the more",
    "similarity|similarities": "the cosine of the angle between two embeddings: 1 where they are equal",
    "cosine": "of the angle between two vectors: 1 for one direction, 0 at right angles, −1 for opposite directions",
    "sphere|hypersphere": "all vectors of length 1, in any number of dimensions; a circle in two",
    "unit vector": "a vector of length 1",
    "tangent": "along the sphere: the part of a gradient that moves a point of length 1",
    "ambient": "in the whole space: a gradient before its part along the radius is removed",
    "histogram": "how many values fall into each of a row of bins",
    "soft bin|soft histogram": "a bin that shares a value with its neighbour, so that its count changes smoothly",
    "AP|average precision": "the mean of the precision at each positive of a ranking: 1 where all are in front",
    "precision": "the share of positives among the points that are ranked so far",
    "R@k|[Rr]ecall": "R@k is the share of queries that have a point of their class among their k nearest",
    "R@1": "the share of queries whose nearest other point has their class",
    "mAP": "the mean over all queries of their average precision, 1 for perfect rankings",
    "MAP@R": "average precision among a query's R nearest, R being the number of its positives; the mean of that",
    "held out": "kept from training, to test on: images of the classes that are trained on, or whole classes",
    "unseen|never saw": "of classes that the net was never trained on",
    "raw pixels|pixel by pixel": "the images themselves as vectors, by Euclidean distance: what training must improve on",
    "PCA": "principal component analysis: it finds the plane in which points differ most",
    "variance": "the mean squared distance from the mean: how far points are spread",
    "collapse|collapsed": "of embeddings: to almost one place, where distances say nothing of classes",
    "seed": "the number from which a run draws its first weights and its batches",
    "learning rate": "how far one step moves the weights of the net against the gradient",
    "regulariser": "a second part of a loss, which keeps something small or even",
    "kink": "a corner of a curve, where it has two slopes",
    "autograd": "PyTorch's way of computing gradients by itself",
}
# All terms at once, each in a group of its own; a term with a capital is found only in this spelling. It is a lookahead, so that
# a term within another is found, too.
_FOUND = re.compile(
    r"(?<![\w@-])(?=(?:" + "|".join(f"(?i:({term}))" if term.islower() else f"({term})" for term in TERMS) + r")s?(?![\w@-]))"
)
_NAMES = tuple(TERMS)


@lru_cache(maxsize=4096)
def terms_in(text: str) -> frozenset[str]:
    """The terms that ``text`` uses."""
    return frozenset(_NAMES[match.lastindex - 1] for match in _FOUND.finditer(text) if match.lastindex)
