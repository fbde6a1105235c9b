"""Many losses on one batch: what each asks of every point and pair, how alike they are, and where each leads."""
