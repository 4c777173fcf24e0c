"""The days for which rows are kept, by the names that the variable RETENTION may use."""

DAYS: dict[str, int | None] = {
    "sessions": 7,
    "drafts": 30,
    "jobs": 7,
    "invitations": 30,
    "deliveries": 90,
    "problems": 180,
    "alerts": 365,
    "notices": 365,
    "moves": 365,
    "mail": 30,
    "events": 180,
    "log": 730,
}
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
