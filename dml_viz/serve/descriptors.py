"""The number of files and connections that the server may have open at once."""

import sys
from contextlib import suppress

WANTED = 4096
OF_SERVER, OF_VISITOR = 150, 10  # descriptors: its own; a tab with a live picture and what its browser fetches at once


def provide() -> str:
    """Raise the limit of this process to `WANTED`; return a sentence for the operator if the system allows less."""
    if sys.platform == "win32":
        return ""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    if soft == resource.RLIM_INFINITY or soft >= WANTED:
        return ""
    return (
        f"This system lets the server open {soft:,} files and connections, enough for about "
        f"{max(1, (soft - OF_SERVER) // OF_VISITOR)} visitors at once. Raise its limit (`ulimit -Hn {WANTED}`) for more."
    )
