"""Sessions that were submitted on the platform."""

from platforms.models import Offer, Session
from platforms.sessions.hold_session import finish_session
from platforms.settling.send_payments import send_payments
from tests.platforms.paper import Paper
from tests.support.projects import submit
from tests.support.recruiting import asks, comes


def handed_in(offer: Offer, number: int = 1, *, questions: int = 0, here: bool = False) -> Session:
    """Submit a session on the platform; `questions`: that were answered in it; `here`: finish it on our page, too."""
    session = comes(offer, f"W{number}", f"A{number}")
    if questions:
        assignment = asks(session, questions)
        assert assignment is not None
        submit(assignment, *[3] * questions)
    if here:
        finish_session(session_id=session.id, worker_id=session.worker_id)
    Session.objects.filter(id=session.id).update(platform_state="submitted")
    session.refresh_from_db()
    return session


def sent(paper: Paper, offer: Offer) -> list[tuple[str, str, int]]:
    """Send what is planned, and return all that was ever sent."""
    send_payments(paper, offer.project_id)
    return paper.sent
