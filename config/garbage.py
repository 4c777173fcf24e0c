"""The garbage collector of processes that stay: what they have loaded is no garbage, and new objects seldom are."""

import gc

NEW_OBJECTS = 20_000
"""New objects between two collections. Python's own 700 costs several for each request, and a third of an export."""


def keep_what_is_loaded() -> None:
    """Let the collector pass over all that there is: searching it takes time, and copies memory that processes share.

    It may be called again when more is loaded.
    """
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)
