"""Session end [beyond paper 3.3]: when a session on a platform may be handed in, and so is paid."""


def why_not_yet(*, done: int, least: int, passed: bool, tested: bool, pays_tests: bool, dry: bool) -> str:
    """Empty: it may. `done`, `least`: assignments that were handed in, and that it needs.

    `tested`: a qualification test was taken to its end in it, `passed`: with success. `dry`: when the worker asked
    last, nothing was open for them; then what they did is enough, and a test that they passed is something.
    """
    if done >= least:
        return ""
    if not dry and not (tested and pays_tests):
        left = least - done
        return f"Hand in {left} more {'assignment' if left == 1 else 'assignments'} first."
    if done or passed or (tested and pays_tests):
        return ""
    return "You have nothing to hand in. Give this place back: that does not count against you."
