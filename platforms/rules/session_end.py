"""Session end [beyond paper 3.3]: a session may be handed in, and is paid, once it has the assignments it needs."""


def why_not_yet(*, done: int, least: int, passed: bool, tested: bool, pays_tests: bool, nothing_open: bool) -> str:
    """Return why the worker cannot hand the session in yet; empty: they can.

    `done`, `least`: assignments that were submitted, and that the session needs. `tested`: the worker completed a
    qualification test in the session; `passed`: they passed it. `nothing_open`: there was nothing to do when the
    worker last asked, so any submitted assignment or passed test is enough.
    """
    if done >= least:
        return ""
    if not nothing_open and not (tested and pays_tests):
        left = least - done
        return f"Hand in {left} more {'assignment' if left == 1 else 'assignments'} first."
    if done or passed or (tested and pays_tests):
        return ""
    return "You have nothing to hand in. Give this place back: that does not count against you."
