"""Links that the gallery, the lessons and the tests had before pages were drawn from rooms are read as before."""

from pathlib import Path
from urllib.parse import parse_qsl

from dml_viz.data.own import Scored
from dml_viz.engine import Job
from dml_viz.export.picture import SpecReader, room_of
from dml_viz.figure_files.spec import Spec, address_today, linked
from dml_viz.room.source import Host, Subject
from tests.samples import for_each

LINKS = Path(__file__).with_name("links_of_before.txt").read_text(encoding="utf-8").splitlines()


class NothingTrainedError(LookupError):
    """A link of a run or a file, which is not trained or opened here."""


class WithoutRuns(Host):
    def train(self, *run: object, **more: object) -> Job:
        raise NothingTrainedError

    def own_file(self, fingerprint: str) -> Scored:
        raise NothingTrainedError

    results = own_images = train  # type: ignore[assignment]


@for_each("link", LINKS)
def test_a_link_of_before_is_read_to_its_last_setting(link: str) -> None:
    address, _, query = link.partition("?")
    page = address_today(address)
    reader = SpecReader(Spec("any", page, linked(page, dict(parse_qsl(query, keep_blank_values=True))), "any"))
    room = room_of(page)
    for old, new in room.old_keys.items():
        reader.rename(old, new)
    try:
        subject = room.source.resolve(room.source.form(reader), WithoutRuns())
    except NothingTrainedError:
        subject = Subject()
    settings = room.settings(reader, subject)
    if room.live:
        reader.step(room.live(settings).view.step)
