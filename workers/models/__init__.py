"""Tables of who answers: people, and how far they are trusted."""

from workers.models.people import Access, ApiKey, Invitation, Message, Worker, new_code
from workers.models.trust import SkillEstimate, TrustChange, TrustStatus, WorkerSignal

__all__ = [
    "Access",
    "ApiKey",
    "Invitation",
    "Message",
    "SkillEstimate",
    "TrustChange",
    "TrustStatus",
    "Worker",
    "WorkerSignal",
    "new_code",
]
