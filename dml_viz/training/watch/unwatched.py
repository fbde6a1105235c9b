"""What a copy of a watched loss has in place of the hook; saved with it, and so in a file that stays."""


class Unwatched:
    """What a copy of a watched loss has in place of the hook."""

    def __call__(self, *_: object) -> None:
        """Nothing is shown."""
