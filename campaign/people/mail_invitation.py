"""Mail an invitation of a member to the address that a requester named."""

from campaign.threads import on_a_thread
from members.models import MemberInvitation
from upkeep.mail import send_mail

SUBJECT = "Invitation to the project {project}"
TEXT = """{by} invites you to the project “{project}” as {role}.

Open this link and sign in to accept, until {until}:

{link}

If you have no account there, ask {by} or an administrator for one. If you expected no invitation, do nothing.
"""


def mail_invitation(invitation: MemberInvitation, link: str) -> None:
    """Send the mail on a thread of its own: no page waits for a mail server."""
    project = invitation.project.title or invitation.project.name
    text = TEXT.format(
        by=invitation.made_by.get_username(),
        project=project,
        role=invitation.role,
        until=f"{invitation.expires_at:%Y-%m-%d}",
        link=link,
    )

    def send() -> None:
        send_mail(invitation.to, SUBJECT.format(project=project), text)

    on_a_thread(send)
