"""The platforms by name."""

from collections.abc import Callable

from platforms.contract.errors import PlatformOffError
from platforms.contract.platform import Platform
from platforms.invitations.platform import NAME as INVITATIONS
from platforms.invitations.platform import InvitationPlatform
from platforms.mturk import NAME as MTURK
from platforms.mturk.platform import from_settings as mturk
from platforms.prolific import NAME as PROLIFIC
from platforms.prolific.platform import from_settings as prolific

PLATFORMS: dict[str, Callable[[], Platform]] = {INVITATIONS: InvitationPlatform, MTURK: mturk, PROLIFIC: prolific}


def find_platform(name: str) -> Platform:
    """Return the platform. Raises PlatformOffError if there is no platform of this name, or it is not set up."""
    if name not in PLATFORMS:
        raise PlatformOffError(f"There is no platform {name!r}. Choose one of {', '.join(sorted(PLATFORMS))}.")
    return PLATFORMS[name]()


def platforms_set_up() -> list[Platform]:
    """Return the platforms that the settings switch on."""
    found = []
    for name in PLATFORMS:
        try:
            found.append(find_platform(name))
        except PlatformOffError:
            continue
    return found
