"""The race that a link asks for; no Streamlit here."""

from dataclasses import dataclass

from dml_viz.app.room import Ask, ReadSetting
from dml_viz.app.run_settings import run_settings
from dml_viz.training.race import MOST_SEEDS, Race
from dml_viz.training.race_url import FIRST, read_racers, write_racers

TITLE = "Race"
CLAIM = "One start, one stream of batches, and a picture for each loss"
OWN = "One start for all, unless a racer has its own, and a picture for each"
KEY, SEEDS = "racers", 3
LEAST = read_racers(FIRST)[:2]


@dataclass(frozen=True)
class Written(ReadSetting):
    """Racers as a link writes them."""

    default: str = FIRST

    def read(self, text: str) -> str:
        """The racers as `write_racers` writes them; `NearestError` if ``text`` needs corrections."""
        return write_racers(read_racers(text, LEAST))


def claim(race: Race) -> str:
    """The title of what the race shows."""
    return OWN if any(path != "lr" for racer in race.racers for path, _ in racer.changes) else CLAIM


def race_settings(ask: Ask) -> Race:
    """The race; ValueError if it is impossible."""
    racers = read_racers(ask.setting(KEY, Written()), LEAST)
    seeds = ask.number("race.seeds", "Seeds", 1, MOST_SEEDS, SEEDS)
    run = run_settings(ask, [racer.loss for racer in racers])
    return Race(run, tuple(racer.fitted(run) for racer in racers), seeds)
