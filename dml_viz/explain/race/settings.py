"""The race that a link asks for; no Streamlit here."""

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from dml_viz.embedding.pca import DRAWN_UP_TO
from dml_viz.engine.recordings import RACE
from dml_viz.room.ask import Ask, ReadSetting, Versions
from dml_viz.room.run_form import run_form, run_link
from dml_viz.room.source import MAP_MISLEADS, PICTURE, Live, Picture, ViewSettings
from dml_viz.training.race import MOST_SEEDS, Race
from dml_viz.training.race_url import FIRST, OVER_SEEDS, read_racers, write_racers

TITLE = "Race"
CLAIM = "One start, one stream of batches, and a picture for each loss"
OWN = "One start for all, unless a racer has its own, and a picture for each"
NAME, KEY, SEEDS = "race", "racers", "race.seeds"
LOOK_FOR = (
    "who separates the classes first, whose points collapse onto a few spots, and {order} Whose gradient gets shorter as its "
    "points arrive? Point at an image to find it in every picture."
)
BANDS = "whether the bands of two racers overlap: where they do, another seed may turn the order round."
ONE_SEED = "in which order they end: another seed may turn it round."
MISLEADS = (
    "one learning rate for all suits some better than others (give a racer its own), and scores are taken on few "
    "images, at most 250 at a time. Proxies are learnt beside the net, at a rate of their own. Gradients of two losses "
    "have two units: compare how their lengths change."
)
# The settings of the race over seeds, with which the page opened before its links had a version. They never change.
BEFORE = MappingProxyType(
    {
        "data": "icons",
        "run.protocol": "unseen classes",
        "run.dim": "64",
        "p_by_k.classes": "16",
        "run.lr": "0.002",
        "run.steps": "300",
        SEEDS: "3",
        KEY: OVER_SEEDS,
    }
)
OPENS = MappingProxyType({**run_link(replace(RACE.run, device="auto")), SEEDS: str(RACE.seeds), KEY: write_racers(RACE.racers)})
# Links of before there was a neighbour map keep the plane.
VERSIONS = Versions("2", OPENS, {**BEFORE, PICTURE: "plane"})
LEAST = read_racers(FIRST)[:2]


@dataclass(frozen=True)
class RacersText(ReadSetting):
    """Racers as a link writes them."""

    default: str = FIRST

    def read(self, text: str) -> str:
        """The racers as `write_racers` writes them; `NearestError` if ``text`` needs corrections."""
        return write_racers(read_racers(text, LEAST))


def race_title(race: Race) -> str:
    """The title of what the race shows."""
    return OWN if any(path != "lr" for racer in race.racers for path, _ in racer.changes) else CLAIM


def seeds_of(ask: Ask) -> int:
    """The number of seeds of each racer."""
    note = "Each racer from so many starts."
    return ask.number(SEEDS, "Seeds", 1, MOST_SEEDS, RACE.seeds, note=note)


class Racing(NamedTuple):
    """A race, and the picture of its points."""

    race: Race
    picture: Picture


def race_settings(ask: Ask) -> Race:
    """The race; ValueError if it is impossible."""
    ask.of_version(VERSIONS)
    racers = read_racers(ask.setting(KEY, RacersText()), LEAST)
    seeds = seeds_of(ask)
    run = run_form(ask, [racer.loss for racer in racers])
    return Race(run, tuple(racer.without_unfit_changes(run) for racer in racers), seeds)


def live_picture(given: Racing) -> Live:
    """The picture of the race."""
    race, picture = given
    mapped = picture == "map" and any(racer.run_on(race.run).dim > DRAWN_UP_TO for racer in race.racers)
    notes = LOOK_FOR.format(order=BANDS if race.seeds > 1 else ONE_SEED), MISLEADS + MAP_MISLEADS * mapped
    return Live(NAME, race_title(race), race, ViewSettings.of_race(NAME), picture=picture, notes=notes)
