"""The images that a session has brought to train on: used by that session alone, and deleted with it."""

from dml_viz.app import frontend, notice, tab, url_state
from dml_viz.app.own.machine import command_line_files
from dml_viz.app.training_session import session_token
from dml_viz.data.datasets.own import FILE, shelf
from dml_viz.data.files import FileError, OwnImages
from dml_viz.room.fingerprint import LENGTH
from dml_viz.room.markdown import to_the_letter
from dml_viz.serve.server import engine
from dml_viz.serve.uploads import uploads

NAME, DATA = "own", "data"  # of the data set, and of the control that chooses one
KEY = f"{NAME}.file"


def session_images() -> OwnImages | None:
    """The session's images, if any."""
    return tab.IMAGES.find() or next(iter(command_line_files(OwnImages)), None)


def linked_images() -> str:
    """The fingerprint of the images that the link names, else of the session's; "" for none."""
    name, images = str(url_state.setting(KEY, FILE)), session_images()
    if images and not name:
        name = tab.control(KEY).set(images.short_fingerprint)
    url_state.write_setting(KEY, name, "")
    return name


def offers_own_images() -> bool:
    """Whether own images are a choice among the data sets: the session has some, or the link names them."""
    return session_images() is not None or NAME in (url_state.address_settings().get(DATA), tab.control(DATA).get())


def store_images(images: OwnImages) -> None:
    """Let the session train on ``images``, in place of its earlier images; FileError if the server has no room."""
    if full := uploads().store(frontend.session_id(), tab.IMAGES.name, images.images.x.nbytes):
        raise FileError(full)
    before = session_images()
    announce_another(KEY, images.title, images.short_fingerprint, before.short_fingerprint if before else "")
    if tab.IMAGES.exists():
        forget_images()
    shelf().put(images.short_fingerprint, images.images, session_token())
    tab.IMAGES.set(images)
    tab.control(KEY).set(images.short_fingerprint)


def announce_another(key: str, title: str, fingerprint: str, before: str) -> None:
    """Announce that the file is not the one that a link names under ``key``, unless that is the one of ``before``."""
    linked = tab.control(key).get()
    if linked and linked not in (before, fingerprint):
        notice.announce(
            f"The link is about a file with fingerprint {linked[:LENGTH]}; {to_the_letter(title)} has {fingerprint[:LENGTH]}, so "
            "its numbers may differ."
        )


def forget_images() -> None:
    """Forget the session's images and the runs on them."""
    images = tab.IMAGES.pop()
    if images is None:
        return
    engine().delete_images_of(session_token())
    tab.control(KEY).set("")
    if tab.control(DATA).get() == NAME:
        tab.control(DATA).set("icons")


def count_and_size(found: OwnImages) -> str:
    """A sentence on the number and the size of the images."""
    images, title = found.images, to_the_letter(found.title)
    side = images.x.shape[1]
    return f"{title}: {len(images.y):,} images of {len(images.names):,} classes, stored as {side} x {side} greys."
