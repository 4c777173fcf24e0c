"""The platforms that there are, by name."""

from collections.abc import Callable

from platforms.contract.errors import PlatformOffError
from platforms.contract.platform import Platform
from platforms.invitations.platform import LinkPlatform
from platforms.mturk.platform import from_settings as mturk
from platforms.prolific.platform import from_settings as prolific

PLATFORMS: dict[str, Callable[[], Platform]] = {"links": LinkPlatform, "mturk": mturk, "prolific": prolific}


def find_platform(name: str) -> Platform:
    """PlatformOffError: there is none of this name, or it is not set up."""
    if name not in PLATFORMS:
        raise PlatformOffError(f"PlatformState is no platform {name!r}: there are {', '.join(sorted(PLATFORMS))}.")
    return PLATFORMS[name]()


def set_up() -> list[Platform]:
    """Those that are set up."""
    found = []
    for name in PLATFORMS:
        try:
            found.append(find_platform(name))
        except PlatformOffError:
            continue
    return found
