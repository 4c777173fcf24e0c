"""Reserve what an assignment will pay while it is leased, where the project has a spend cap."""

from pipeline.errors import BudgetSpentError
from pipeline.money import spend_cap
from pipeline.rules.settings.protocol import ProtocolSettings


def reserve_reward(project_id: int, cents: int, settings: ProtocolSettings) -> None:
    """BudgetSpentError: it would go beyond the cap; nothing is reserved."""
    if cents and settings.spend_cap_cents and not spend_cap.commit(project_id, cents, settings.spend_cap_cents):
        raise BudgetSpentError


def release_reward(project_id: int, cents: int) -> None:
    """What was reserved and is not earned. Costs nothing where all of it was.

    Below 0: more is owed than was reserved, for work that came after its time had run out.
    """
    if cents:
        spend_cap.release(project_id, cents)
