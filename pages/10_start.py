"""Start

What metric learning is, in one picture.
"""

from dml_viz.app.live import live
from dml_viz.app.page import page, section
from dml_viz.explain.start.predictions import ASKER
from dml_viz.explain.start.settings import CLAIM, TITLE

with (
    page(
        TITLE,
        "A net learns to put images on a circle so that **images of one kind meet and others part**: then who is near is alike. "
        "The images below were kept out of its training.",
        ASKER,
        lesson=True,
    ),
    section(
        CLAIM,
        look_for="one digit at a time: point at an image to see where it lies and which eight lie nearest to it, then drag the "
        "slider back to the start to see who its neighbours were.",
        misleads="a circle has room for few classes, so digits that mix here would part in more dimensions. These digits are "
        "new images of classes that the net was trained on; *Train live* asks the harder question, of classes it has never seen.",
    ),
):
    live(recorded="start", key="start", layout="start")
