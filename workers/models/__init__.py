"""Tables of WHO answers: people, trust in them, their money, and where they come from."""

from workers.models.money import LedgerEntry, Spending
from workers.models.people import Access, ApiKey, Invitation, Message, Worker, new_code
from workers.models.sessions import (
    Counterpart,
    Identity,
    Movement,
    Offer,
    Recruitment,
    Screening,
    Session,
)
from workers.models.trust import SkillEstimate, Standing, TrustChange, WorkerSignal

__all__ = [
    "Access",
    "ApiKey",
    "Counterpart",
    "Identity",
    "Invitation",
    "LedgerEntry",
    "Message",
    "Movement",
    "Offer",
    "Recruitment",
    "Screening",
    "Session",
    "SkillEstimate",
    "Spending",
    "Standing",
    "TrustChange",
    "Worker",
    "WorkerSignal",
    "new_code",
]
