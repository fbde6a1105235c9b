"""What hangs in the gallery, in order; ``make gallery`` makes the pictures of it anew."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dml_viz.figure_files.spec import Spec, declared_run, linked
from dml_viz.training.run import Run


@dataclass(frozen=True)
class Entry:
    """A figure by its key on its page, which ``settings`` bring into the state that is worth showing, and what it shows.

    ``tall`` is how many pixels of height its picture needs, if it is more than others get.
    """

    name: str
    title: str
    sentence: str
    page: str
    figure: str
    settings: Mapping[str, str] = field(default_factory=dict)
    tall: int = 0

    @property
    def link(self) -> str:
        """The page in that state, relative to the app."""
        return linked("" if self.page == "start" else self.page, self.settings)

    @property
    def spec(self) -> Spec:
        """As much of the figure's spec as is declared; the page tells the rest. A step is one of the default run."""
        step = int(self.settings["step"]) if "step" in self.settings else None
        run = None if step is None else declared_run(Run())
        return Spec(self.figure, self.page, self.link, self.title, run=run, step=step)


GALLERY = (
    Entry(
        "embedding", "Icons of the same thing, close together",
        "After 300 steps: 50 concepts that the net never saw in training, in the plane that shows most of 64 dimensions.",
        "start", "start-embedding",
    ),
    Entry(
        "fastap", "From a ranking to a gradient",
        "FastAP in seven rows: ranked points, kernel, histograms, their sums, precision, and the slope in each bin.",
        "fastap", "fastap-pipeline", {"fastap.scene": "one hard negative"}, tall=900,
    ),
    Entry(
        "average-precision", "Steps at points, steps at bins",
        "Exact average precision and its binned twin, as areas under two curves.",
        "fastap", "fastap-precision_recall",
    ),
    Entry(
        "bins", "The bins slider is a margin",
        "Few bins ask for a wide gap; with many, FastAP wobbles beside exact average precision.",
        "fastap", "fastap-against_bins", {"fastap.query": "3"},
    ),
    Entry(
        "ranked-list", "Two circles around the query",
        "Positives beyond α − m are pulled, negatives within α are pushed; who has kept the shell clear is left alone.",
        "ranked_list", "ranked_list", {"ranked_list.query": "2"},
    ),
    Entry(
        "temperature", "A bigger T picks the hardest negative",
        "How the ranked list loss shares out its push as the temperature grows.",
        "ranked_list", "ranked-temperature", {"ranked_list.temperature": "40.0"},
    ),
    Entry(
        "angle", "The angle at the negative",
        "Half of the positive pair, seen from the negative, should look no wider than α.",
        "angular", "angular-triangle", {"angular.anchor": "4", "angular.positive": "0", "angular.negative": "5"},
    ),
    Entry(
        "two-pushes", "Two losses push the same three points",
        "Angular pushes the negative away from the pair’s middle, the triplet loss away from the anchor.",
        "angular", "angular", {"angular.anchor": "4", "angular.positive": "0", "angular.negative": "5"},
    ),
    Entry(
        "many-dimensions", "Why the angular hinge hardly trains",
        "In many dimensions n′ gathers at 30°, and a bound of 45° finds nothing to push.",
        "angular", "angular-dimensions",
    ),
    Entry(
        "proxies", "The pull fades, or never does",
        "Proxy-NCA beside Proxy-Anchor on the same samples and proxies, which follow their gradients.",
        "proxies", "proxies-flow", {"proxies.scene": "one hard negative"},
    ),
    Entry(
        "hardness", "Proxy-NCA’s pull never fades",
        "How hard a proxy pulls against how near its sample is: a constant for one loss, a fading curve for the other.",
        "proxies", "proxies-pull", {"proxies.scene": "arrived"},
    ),
    Entry(
        "circle", "The plane of a pair of similarities",
        "Circle loss over (sₚ, sₙ): its boundary is an arc, and its gradient turns along it.",
        "pairs", "pairs-plane-0", {"pairs.loss": "circle"},
    ),
    Entry(
        "zero-region", "Where a triplet stops giving gradient",
        "Beyond the line sₙ = sₚ − m/2 the hinge is 0, and no point moves.",
        "pairs", "pairs-plane-0",
        {
            "pairs.scene": "one triplet", "pairs.anchor": "0", "pairs.positive": "1", "pairs.negative": "2",
            "loss.triplet.mining": "all",
        },
    ),
    Entry(
        "weights", "Multi-similarity weighs what it touches",
        "The weight dL/ds of every pair against its similarity; easy pairs have none.",
        "pairs", "pairs-weights-0", {"pairs.loss": "multi_similarity"},
    ),
    Entry(
        "eight-losses", "Where eight losses push one batch",
        "The direction of every gradient on the same hard negative, sized for two columns of a paper.",
        "gradients", "gradients-paper", {"gradients.paper": "True"},
    ),
    Entry(
        "cosines", "How alike eight losses are",
        "Cosines between the gradients of eight losses on one hard negative, clustered.",
        "gradients", "gradients-cosines", {"gradients.paper": "True"},
    ),
    Entry(
        "training", "Training curves of icons",
        "Retrieval on concepts that the net was shown and on concepts it never saw, over 300 steps.",
        "train", "train-curves", {"step": "300"},
    ),
    Entry(
        "race", "Four losses from one start",
        "The same weights and the same batches: mean average precision, with its spread over seeds.",
        "race", "race-race-map",
    ),
    Entry(
        "papers", "Fourteen papers, four data sets",
        "Recall of each method on CUB as its paper reports it. Nets and image sizes differ, so the lines rank no losses.",
        "papers", "papers-slopes",
    ),
)  # fmt: skip
