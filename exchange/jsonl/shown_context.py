"""The context of an entry, as exports show it: among its data, each fact under a name of its own."""

from collections.abc import Mapping
from typing import Any

from pipeline.protocol.image.machine import EntryKind

SHOWN = {"skill": "shift", "by_model": "program", "seed": "lot", "silent": "asleep", "on_loan": "out"}
LENT = "lent"
"""The name of the questions on loan in a proposal, which always has them."""


def with_context(kind: str, data: Mapping[str, Any], context: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the data of an entry together with its context, both as they are stored."""
    proposes = kind == EntryKind.PROPOSE.value
    names = {**SHOWN, "on_loan": LENT} if proposes else SHOWN
    facts = {names[name]: value for name, value in (context or {}).items()}
    return {**data, **({LENT: []} if proposes else {}), **facts}
