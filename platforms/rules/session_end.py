"""Session end [beyond paper 3.3]: a session may be handed in, and is paid, once it has the assignments it needs."""


def still_missing(
    *, done: int, least: int, passed: bool, tested: bool, pays_tests: bool, nothing_open: bool
) -> int | None:
    """Return how many assignments are missing; None: the session can be handed in; 0: nothing can be.

    `done`, `least`: assignments that were submitted, and that the session needs. `tested`: the worker completed a
    qualification test in the session; `passed`: they passed it. `nothing_open`: there was nothing to do when the
    worker last asked, so any submitted assignment or passed test is enough.
    """
    if done >= least:
        return None
    if not nothing_open and not (tested and pays_tests):
        return least - done
    return None if done or passed or (tested and pays_tests) else 0
