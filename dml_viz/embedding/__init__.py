"""Unit-sphere mathematics: rows and labels, scenes, planes, histograms, rankings, retrieval metrics."""
