"""The replacement of the hook in copies of a watched loss; saved files name this module, so it must not be renamed."""


class Unwatched:
    """The replacement of the hook in a copy of a watched loss."""

    def __call__(self, *_: object) -> None:
        """Do nothing."""
