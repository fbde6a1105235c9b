"""What Python sends to each component of assets/src/components, as types.

A sender builds one of these, and `dml_viz.export.contracts` writes them out as declarations for the scripts, with the headers of
`dml_viz.engine.message_types`. A component that is sent arrays, too, has them in one message (`dml_viz.data.wire`).
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypeAlias, TypedDict, cast

from dml_viz.engine.message_types import FeedData
from dml_viz.figure_files.spec import Recipe
from dml_viz.plot.style import FAINT, INK, Palette

Knobs: TypeAlias = Mapping[str, float | bool | str | None]


class FigureData(TypedDict):
    """A figure of Plotly: the address that makes it (`source`), or the figure as JSON with its words and its height."""

    source: NotRequired[str]
    figure: NotRequired[str]
    alt: NotRequired[str]
    height: NotRequired[float]
    link: str | None
    clickable: bool
    theme: str
    ink: str
    faint: str
    palette: NotRequired[Palette]
    recipe: NotRequired[Recipe]


def figure_data(theme: str, **given: object) -> FigureData:
    """The data of a figure of Plotly in the colours of ``theme``, with what is ``given``, by default without links and clicks."""
    return cast(
        "FigureData", {"link": None, "clickable": False, "theme": theme, "ink": INK[theme], "faint": FAINT[theme], **given}
    )


class LiveData(TypedDict):
    """A live picture of the run at `url`, which is pulled ("live"), comes with Streamlit's own messages ("bytes") or is recorded.

    `subject` is the first message in base64 where the rest comes as bytes, `embeddings` the message of all coordinates. `setting`
    is the key of the step in a link. Points of more than three dimensions are drawn in a neighbour map or a plane, by `picture`.
    """

    mode: Literal["recorded", "bytes", "live"]
    url: str
    subject: str | None
    palette: Palette
    theme: str
    layout: str
    picture: NotRequired[Literal["map", "plane"]]
    waits: NotRequired[bool]
    terms: NotRequired[Mapping[str, str]]
    view: NotRequired[str | None]
    step: int | None
    query: int | None
    status: str | None
    setting: str
    embeddings: NotRequired[str | None]
    recipe: NotRequired[Recipe | None]


class PressesData(TypedDict):
    """The class of a button whose presses are counted, and how many of them Python knows."""

    button: str
    taken: int


class ShareData(TypedDict):
    """A link, its short form (or nothing), and the address of the image of its QR code (or nothing)."""

    link: str
    short: str
    code: str
    theme: str
    palette: Palette


class TakeData(TypedDict):
    """What a button is called that saves the file made at an address, and the name of that file."""

    label: str
    address: str
    file: str
    theme: str
    palette: Palette


class PredictData(TypedDict):
    """The points (degrees, class) of a prediction, which of them is dragged, the answer, and its way once it is revealed."""

    points: list[tuple[float, int]]
    point: int
    answer: float | None
    way: list[float] | None
    theme: str
    palette: Palette


class OfferedQuestion(TypedDict):
    """A question that the page on the wall has for the class: how it is asked, and the right choice of a lesson's own."""

    title: str
    ask: Mapping[str, object]
    right: int | None


class ClassroomData(TypedDict):
    """The classroom that a tab teaches (`wall`) or attends: its code, the address to join with its QR code, the teacher's token.

    `offer` is the question of the page, `stations` the number of stations of its lesson (0 without one), and `done` the number of
    what the page did last for the browser.
    """

    code: str
    wall: bool
    token: str
    join: str
    image: str
    offer: OfferedQuestion | None
    stations: int
    done: float
    theme: str
    palette: Palette


class PresenterData(TypedDict):
    """What a page shows alone (`only`) or presents, the selectors of its figures by key, and the station of its lesson.

    `at` is the figure to scroll to, and `arrival` counts such links.
    """

    only: str
    present: list[str] | None
    times: float
    foot: Sequence[str]
    side: Sequence[str]
    figures: Mapping[str, str]
    main: str
    at: str
    arrival: int
    station: int
    stations: int


class SceneLoss(TypedDict):
    """A loss that the browser computes: its file, its knobs, and its learnt tensors other than proxies, at their start."""

    loss: str
    knobs: Mapping[str, object]
    learnt: Mapping[str, list[float]]
    proxies: bool


class NoOverlay(TypedDict):
    """The settings of an overlay that has none."""


class AngularOverlay(TypedDict):
    """The knobs of the angular and the triplet loss, and whether both are drawn."""

    angular: Knobs
    triplet: Knobs
    both: bool


class FastAPOverlay(TypedDict):
    """Whether the list of the chosen query alone is drawn, and the words in place of arrows, if any."""

    ofQuery: bool
    instead: str


class RankedListOverlay(TypedDict):
    """Whether arrows and balls are drawn."""

    arrows: str
    balls: bool


class PairsOverlay(TypedDict):
    """Whether the edges are the anchor's, whether rows are of length 1, and the knobs of the triplet loss if it is drawn."""

    ofAnchor: bool
    unit: bool
    triplet: Knobs | None


class ProxiesOverlay(TypedDict):
    """The knobs of both losses with proxies, and the share of points of which Proxy-NCA draws edges (None: all)."""

    nca: Knobs
    anchor: Knobs
    wrongSign: bool
    share: float | None
    edges: str


class OverlayLoss(TypedDict):
    """A loss whose gradient is drawn: its file, title and knobs, its learnt tensors by dimension, and its proxies of a class."""

    loss: str
    title: str
    knobs: Mapping[str, object]
    learnt: Mapping[str, Mapping[str, list[float]]]
    rows: int
    proxies: bool
    unit: bool


class GradientsOverlay(TypedDict):
    """Every loss as the browser computes it, the part of its gradient that is drawn, and the loss that is `shown`."""

    shown: str
    part: str
    losses: Mapping[str, OverlayLoss]


Overlay: TypeAlias = (
    NoOverlay | AngularOverlay | FastAPOverlay | RankedListOverlay | PairsOverlay | ProxiesOverlay | GradientsOverlay
)


class SceneLimits(TypedDict):
    """The fewest and the most points of a scene, and the most classes."""

    fewest: int
    most: int
    classes: int


class SceneData(TypedDict):
    """A scene that is dragged: its text, the preset it began as, what is chosen in it, and what its overlay draws around it.

    `revision` counts the changes by Python, `serial` is the newest report that Python has; `presets` are the texts of the presets
    in two and in three dimensions, and `lesson` has the state of each control that a lesson locks or hides. Where it is
    `bare` the points alone are drawn.
    """

    revision: int
    serial: int
    scene: str
    base: str
    view: str
    picked: Sequence[int]
    choose: list[str]
    overlay: str
    height: float
    presets: Mapping[str, list[str]]
    losses: Mapping[str, SceneLoss]
    settings: Overlay
    limits: SceneLimits
    theme: str
    palette: Palette
    revealed: NotRequired[bool]
    bare: NotRequired[bool]
    lesson: NotRequired[Mapping[str, str]]
    recipe: NotRequired[Recipe]


class SecondViewData(TypedDict):
    """A second view of the scene, which shows the data of the scene's own overlay."""

    height: float
    theme: str
    palette: Palette
    recipe: NotRequired[Recipe]


class LossPanel(TypedDict):
    """The gradient of one loss at the points: its value and norm, how many points and pairs it moves, and how long it took."""

    name: str
    title: str
    note: str
    value: float
    norm: float
    points: list[int]
    pairs: list[int]
    ms: float
    radial: float
    shown: float
    proxies: int
    oneSided: bool


class PanelsData(TypedDict):
    """The panels of all losses at `n` points; their arrays are of all panels, one after another."""

    dragged: bool
    picked: int
    view: str
    scale: str
    part: str
    draw: str
    theme: str
    palette: Palette
    dim: int
    n: int
    circle: bool
    zoom: float
    middle: Sequence[float]
    names: list[str]
    panels: list[LossPanel]
    recipe: NotRequired[Recipe]


class LossFlow(TypedDict):
    """The flow along one loss: at which step it stalls or ends and why, how often its value rises, and its proxies' classes."""

    name: str
    title: str
    stalled: int | None
    end: Literal["moves", "arrived", "stuck", "rests"]
    toAndFro: bool
    rises: int
    why: str
    owners: list[int]


class FlowData(TypedDict):
    """The flows along all losses from `n` points; their arrays are of all steps of all losses."""

    dragged: bool
    view: str
    step: int
    waits: bool
    steps: int
    theme: str
    palette: Palette
    names: list[str]
    n: int
    dim: int
    circle: bool
    panels: list[LossFlow]
    recipe: NotRequired[Recipe]


class FilePoints(TypedDict):
    """A file whose rows are drawn: its title, its classes, the dimensions of its rows, and the picture that they are drawn in.

    `share` is that of variance which a plane shows, `right` the shares of rows whose nearest row is of their class, in all
    dimensions and in the picture, `images` whether rows have images. `near` is how many nearest rows of each are known, 0 before.
    The arrays of file k are "k.places" and "k.y" and, once nearest rows are known, "k.right", how many of these are of a row's
    class, `NO_QUERY` for a row that is no query, and "k.looks", 1 + the class that a row looks like, 0 for none.
    """

    title: str
    names: Sequence[str]
    dim: int
    picture: str
    share: float
    right: tuple[float, float] | None
    images: bool
    near: int


class RowsAnswer(TypedDict):
    """What was asked about rows: the `near`est of one with their `cosines`, or nothing beside the array "images" (n, H, W)."""

    near: NotRequired[Sequence[int]]
    cosines: NotRequired[Sequence[float]]


class PointsData(TypedDict):
    """All rows of one file or two as points: the address of a message with files and arrays (`source`), or the files."""

    source: NotRequired[str]
    files: NotRequired[Sequence[FilePoints]]
    theme: str
    palette: Palette
    recipe: NotRequired[Recipe]


class PackedData(TypedDict):
    """Data with arrays, as one message in base64."""

    bytes: str


class CompanionComponent(TypedDict):
    """A component that is drawn out of sight beside a picture's own, for what the picture reads of it."""

    module: str
    data: object


class PictureRequest(TypedDict):
    """What draws the picture `figure` out of sight: a component with its data, in a frame of `width` px, and others beside it."""

    module: str
    data: object
    figure: str
    width: float
    others: NotRequired[list[CompanionComponent]]


class Fault(TypedDict):
    """Why a figure cannot be made."""

    fault: str


class TrayPanel(TypedDict):
    """A figure of a tray: its recipe without what the app adds; of a run, whether it is a recording."""

    figure: str
    page: str
    link: str
    title: str
    step: int | None
    last_step: NotRequired[int | None]
    changes: Sequence[tuple[int, str]]
    view: Mapping[str, list[object]]
    size: Mapping[str, float]
    run: Mapping[str, object] | None


class TrayData(TypedDict):
    """Figures in order, the columns and letters of their panels, and their style."""

    panels: Sequence[TrayPanel]
    columns: int
    letters: str
    options: Mapping[str, object] | None


class ExampleTray(TypedDict):
    """The tray that is shown in place of an empty one, and what draws its figures."""

    tray: TrayData
    panels: list[PictureRequest | Fault | None]


class ComposeData(TypedDict):
    """A tray, what draws each of its figures that the browser has not, and whether the tray has just come with the link.

    ``fault`` says why the tray that the browser has is not taken over.
    """

    tray: TrayData
    panels: list[PictureRequest | Fault | None]
    options: Mapping[str, object]
    palette: Palette
    arrived: NotRequired[bool]
    fault: NotRequired[str]
    example: NotRequired[ExampleTray | None]
    recipe: NotRequired[Recipe]


ComponentData: TypeAlias = (
    FigureData
    | LiveData
    | FeedData
    | PressesData
    | ShareData
    | TakeData
    | PredictData
    | ClassroomData
    | PresenterData
    | SceneData
    | SecondViewData
    | PanelsData
    | FlowData
    | ComposeData
    | PointsData
)
