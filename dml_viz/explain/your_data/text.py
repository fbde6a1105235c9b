"""The sentences of the page on a visitor's own data."""

from collections.abc import Sequence

from dml_viz.data.files import READERS
from dml_viz.data.files._checks import LIMITS
from dml_viz.data.files._images import MOST_IMAGES, MOST_PIXELS, SIDES
from dml_viz.data.own import Scored
from dml_viz.embedding.pca import DRAWN_UP_TO
from dml_viz.embedding.rows_map import EXACT_UP_TO
from dml_viz.embedding.search import FLOAT64_UP_TO
from dml_viz.explain.your_data.failures import HUB, LISTED, SUSPECT, TWIN, Failures
from dml_viz.explain.your_data.model import Model, Settings
from dml_viz.room.markdown import to_the_letter

ALL_MISLEADS = "where many rows lie on each other, only the uppermost are seen."
PLANE_MISLEADS = (
    "of more than three dimensions two are shown, those of most variance: rows that lie on each other may be far apart. "
    f"{ALL_MISLEADS.capitalize()}"
)
MAP_MISLEADS = (
    "a neighbour map keeps who is near whom. Distances between groups and sizes of groups mean nothing in it, and a map of noise "
    f"has clumps, too. Of more than {EXACT_UP_TO:,} rows the map is approximate: the repulsion of far rows is interpolated."
)
NO_MAP = f"A map of more than {EXACT_UP_TO:,} rows needs openTSNE, which this server does not have: the plane is drawn."
WORK = {
    "nearest": "Finding the nearest rows of {rows} ({done})",
    "ranked": "Ranking {rows} for exact mAP ({done})",
    "map": "Drawing {rows} in a neighbour map ({done})",
}
LEFT = {"nearest": "the nearest rows", "ranked": "mAP", "map": "the neighbour map"}
CLASSES = (
    "“Taken for” is the other class that is nearest to the most queries of the class, with their share of its queries. A click "
    "on the head of a column sorts the table; it can be searched, and saved as CSV."
)
WORST = f"At most {LISTED} queries, those of lowest average precision, with their five nearest rows."
SUSPECTED = (
    f"At most {LISTED} queries of whose ten nearest rows at least {SUSPECT:.0%} are of one other class: a wrong label, or a "
    "row that the net takes for that class."
)
TWINS = (
    f"At most {LISTED} pairs of rows whose cosine is above {TWIN:.4f}. Pairs of two classes come first: one thing under two "
    "labels. Pairs of one class make R@1 easier than it is."
)
HUBS = (
    f"At most {LISTED} rows that are among the ten nearest of {HUB} times as many queries as the mean row, or more. Hubs are "
    "common in many dimensions; a hub spoils the queries of other classes."
)
SHARES = ("mAP", "AP", "change", "share", "of its own")  # beginnings of the columns that hold shares
IN_ROWS = "groups of rows, and rows that are far from all others: point at them."
IN_POINTS = "rows in the colour of one class inside of another one: colour by suspected labels, and point at them."
TRAINS = ("train", "race", "sweep")
PRIVACY = (
    f"Read: {LIMITS}. Images, at most {MOST_IMAGES:,}, are made grey, square and {SIDES[0]} pixels wide, or less where many "
    f"would take more than {MOST_PIXELS >> 20} MB. A file stays in the memory of this server for this tab alone, until "
    "the tab is closed or reloaded. No link holds it: links name its fingerprint and ask for the file."
)


EXAMPLE = (
    "**An example, not your data:** 250 icons of 50 things that training never showed, from the icon sets that *Start* "
    "names. Left: their pixels. Right: the same icons as the net of *Start* embeds them after 300 steps. Drop a file, and the "
    "page shows yours."
)


def file_request(first: str, second: str) -> str:
    """The request for the file of a link, by the fingerprint ``first``, and for the one that it is compared with, if any."""
    drop = "Drop that file here."
    if second:
        drop = f"Drop that file here; then, under *Compare with*, the one with fingerprint `{second}`."
    return f"**This link is about a file with fingerprint `{first}`. {drop}**\n\n{formats()}"


def second_file_request(fingerprint: str) -> str:
    """The request for the file that the first one is compared with in a link, by its ``fingerprint``."""
    return f"The link compares it with a file with fingerprint `{fingerprint}`: drop that under *Compare with*."


def formats() -> str:
    """The formats of files, and the lines that write one."""
    each = "\n".join(f"- {reader.title}" for reader in READERS.values() if not reader.refuses)
    return (
        f"A file has one of these formats:\n\n{each}\n\n"
        "From PyTorch, two lines write one:\n\n"
        "```text\nimport numpy as np\n"
        'np.savez("embeddings.npz", z=z.detach().cpu().numpy(), y=y.cpu().numpy())\n```\n\n'
        "`images` (N, H, W) and `names` of the classes may be in it, too. Images alone can be trained on; rows alone are drawn. "
        "`query` and `gallery` (N), true or false, say which rows are ranked against which, as texts against images."
    )


def claim_of_images(model: Model) -> str:
    """The claim above images: their number, and R@1 of their pixels."""
    assert model.images is not None
    images = model.images.images
    return (
        f"{len(images.y):,} images of {len(images.names):,} classes: on classes that training never sees, pixels alone find the "
        f"class for {model.by_pixels:.0%}"
    )


def claim_of_rows(files: Sequence[Scored]) -> str:
    """The claim above all rows as points: how many there are, of how many classes."""
    classes = [f"of {len(scored.file.names):,} classes" if scored.file.labelled else "without labels" for scored in files]
    each = [f"{len(scored.file.y):,} rows {words}" for scored, words in zip(files, classes, strict=True)]
    return f"All rows at once: {' and '.join(each)}"


def without_labels(title: str) -> str:
    """The sentence below the rows of the file called ``title``, which has no labels."""
    return f"{to_the_letter(title)} has no labels, so nothing is ranked: save them as `y` beside the rows to see what fails."


def claim(files: Sequence[Scored]) -> str:
    """The page's main claim, with R@1 of the files."""
    low, *more = (scored.recall[1] for scored in files)
    titles = [to_the_letter(scored.file.title) for scored in files]
    if not more:
        share = f"{low:.1%}" if low == 1 or low < 0.9995 else "More than 99.9%"
        return f"{share} of {_whose_nearest(files[0])} of their own class nearest"
    return f"R@1 goes from {low:.3f} in {titles[0]} to {more[0]:.3f} in {titles[1]}"


def _whose_nearest(scored: Scored) -> str:
    """The rows, or the queries, whose nearest row is looked at, with the words up to "of their own class"."""
    file, count = scored.file, scored.scored_queries
    whole = file.query is None and file.gallery is None
    if count == len(scored.nearest.queries):
        return f"{count:,} {'rows' if whole else 'queries'} have a row"
    return f"the {count:,} {'rows whose class has another row' if whole else 'queries whose class is in the gallery'} have one"


def claim_of_metrics(files: Sequence[Scored]) -> str:
    """The claim above the metrics: what they count."""
    each = all(scored.scored_queries == len(scored.file.y) for scored in files)
    return "The metrics count every row" if each else "The metrics count every query that has a row of its class to find"


def misleads(settings: Settings) -> str:
    """The sentence on how the picture of all rows misleads."""
    if all(scored.file.z.shape[1] <= DRAWN_UP_TO for scored in settings.files):
        return ALL_MISLEADS
    mapped = settings.picture == "map" and settings.mapped and any("map" in scored.stages for scored in settings.files)
    return MAP_MISLEADS if mapped else PLANE_MISLEADS


def recall_so_far(files: Sequence[Scored]) -> str:
    """R@K of the files, while their rows are ranked for mAP."""
    return (
        "; ".join(
            f"**{to_the_letter(scored.file.title)}**: " + ", ".join(f"R@{k} {share:.3f}" for k, share in scored.recall.items())
            for scored in files
        )
        + ". mAP, MAP@R and the tables of what fails come next."
    )


def queries_in_words(files: Sequence[Scored]) -> str:
    """The queries and the gallery of the files, and that two which differ in these cannot be compared."""
    first, *others = words = [scored.queries_in_words for scored in files]
    if others in ([], [first]):
        return first.capitalize()
    each = (f"{to_the_letter(scored.file.title)}: {text}" for scored, text in zip(files, words, strict=True))
    return f"The files differ in their queries, so that their numbers cannot be compared ({'; '.join(each)})"


def exactness_of_cosines(files: Sequence[Scored]) -> str:
    """How exact the cosines of large files are, for a sentence."""
    return " to seven digits" if any(len(scored.file.y) > FLOAT64_UP_TO for scored in files) else ""


def on_stopped_work(left: Sequence[str]) -> str:
    """The sentence on work that the visitor has stopped before these stages."""
    are = "are" if "nearest" in left or len(left) > 1 else "is"
    return f"Stopped: {' and '.join(LEFT[stage] for stage in left)} of these rows {are} not there yet."


def claim_of_failures(failures: Failures, title: str) -> str:
    """The claim above the tables of failures, of the file called ``title``."""
    scored = failures.scored
    if failures.worst_confusion is None and scored.recall[1] < 1:
        return f"Rows of several classes are equally near in {to_the_letter(title)}: no one class is taken for another"
    if failures.worst_confusion is None:
        some = " that has a row of its class to find" if scored.scored_queries < len(scored.nearest.queries) else ""
        return f"Each query of {to_the_letter(title)}{some} has a row of its own class nearest"
    label, other, share = failures.worst_confusion
    one, taken_for = to_the_letter(label), to_the_letter(other)
    what = f"What fails with what in {to_the_letter(title)}"
    return f"{what}: {share:.0%} of the queries of {one} have a row of {taken_for} nearest"


def hint_of_two_kinds(title: str, first: int, second: int) -> str:
    """The hint that the rows of the file called ``title`` are of two kinds, of which ``first`` and ``second`` rows are drawn."""
    return (
        f"The rows of {to_the_letter(title)} lie in two halves ({first} and {second} of the rows drawn). Each row's nearest rows "
        "are of its own half, though nearly every class has rows in both. So lie texts and images. If yours are, say which "
        "rows are queries and which are searched: save `query` and `gallery` (N), true or false, beside `z` and `y`."
    )
