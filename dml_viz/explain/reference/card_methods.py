"""All methods of training in a table, generated from their declarations."""

from dml_viz.app import glossary
from dml_viz.app.markdown import to_the_letter
from dml_viz.params import numerals, params
from dml_viz.training.methods import METHODS
from dml_viz.training.methods._base import Method


def methods() -> None:
    """Draw the table: what each method does, its paper, how near it is to that, and its knobs."""
    glossary.say("Methods: what a training step may do besides its loss", "subheader", anchor=False)
    head = "| method | does | paper | here | knobs |\n|---|---|---|---|---|"
    glossary.say("\n".join([head, *(_row(name, kind) for name, kind in METHODS.items() if kind.reference)]))


def _row(name: str, kind: type[Method]) -> str:
    knobs = " ".join(
        f"**{knob.called.capitalize()}** ({numerals(str(knob.default))}): {to_the_letter(knob.meaning)}."
        for knob in params(kind)
    )
    texts = (kind.sentence, f"{kind.reference}.", f"{kind.faithful}.")
    return f"| [{kind.title}](beyond_one_loss?method={name}) | {' | '.join(map(to_the_letter, texts))} | {knobs} |"
