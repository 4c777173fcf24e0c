"""The days for which rows are kept, by the names that the variable RETENTION may use."""

OLD_ROWS: dict[str, tuple[int, str]] = {
    "sessions": (7, "sign-ins, after they expired"),
    "drafts": (30, "a page's last draft of an assignment, after the assignment ended"),
    "jobs": (7, "finished and failed work of job runners"),
    "invitations": (30, "invitations to members, after they expired"),
    "deliveries": (90, "alerts' mails and webhooks, sent or given up, after the alert was settled"),
    "problems": (180, "lists of what an import left out"),
    "alerts": (365, "settled alerts"),
    "notices": (365, "the service's messages that their worker has read"),
    "moves": (
        365,
        "moves of chains and boxes in finished projects; an image's page then shows its own history",
    ),
    "mail": (30, "mail, sent or given up"),
    "events": (180, "the event log"),
    "log": (730, "the admin pages' history of staff's acts"),
}
"""The days of each name, and a description of its rows."""
DAYS: dict[str, int | None] = {name: days for name, (days, _) in OLD_ROWS.items()}
"""None: for ever."""
MAX_DAYS = 36_500


def read_retention(text: str) -> dict[str, int | None]:
    """Read `sessions=30,moves=off`. Returns the days of every name. Raises ValueError with a sentence."""
    given: dict[str, int | None] = {}
    for part in filter(None, (item.strip() for item in text.split(","))):
        name, _, days = (side.strip() for side in part.partition("="))
        if name not in DAYS:
            raise ValueError(f"has the name {name[:40]!r}: choose from {', '.join(DAYS)}.")
        if days == "off":
            given[name] = None
        elif days.isdecimal() and 1 <= int(days) <= MAX_DAYS:
            given[name] = int(days)
        else:
            raise ValueError(f"has {part[:40]!r}: write days, as in {name}=90, or {name}=off to keep all.")
    return DAYS | given
