"""The progress of a made-up image: 8 chains of two mentions, 36 links, 11 boxes, in the three states of an image."""

from typing import Any

from annotation.rules.states import ImageState

TYPES = ("people", "clothing", "scene", "other")
LATER = (("box_drawing", 46, 56), ("box_quality", 56, 66), ("box_coverage", 66, 72))
"""The open questions of an image whose boxes are being drawn: from a number to another."""


def progress(state: ImageState) -> dict[str, Any]:
    """Return what `Progress.state` holds."""
    linked, merged = state is not ImageState.LINKING, state is ImageState.MERGED
    return {
        **{"sequence": 81, "state": state.value, "started": True, "waiting": False, "numbered": 16, "asked": 72},
        "drawn": 11 if linked else 0,
        "mentions": [
            [m, m % 5, m // 5 * 3, m // 5 * 3 + 2, [TYPES[m % 4]], ("A man", "shirt", "a dog", "past the")[m // 5]]
            for m in range(16)
        ],
        "chains": _chains(state),
        "boxes": _boxes() if linked else [],
        "open": _open(state),
        "votes": [[a, b, [[a, 1, (a + b) % 2 == 0]]] for a in range(6) for b in range(6, 12)] if linked else [],
        **{"given": [], "skipped": [], "flagged": []},
        "sources": [
            [a, b, "asked yes" if (a + b) % 2 else "asked no"] for a in range(6) for b in range(6, 12) if linked
        ],
        "reports": [],
        "merged": [[b, [10 + b, 10, 80 + b, 70], [b]] for b in range(6)] if merged else [],
        "link_rules": "",
    }


def _chains(state: ImageState) -> list[Any]:
    votes = [[1, 1, "all there"], [2, 2, "all there"]]
    if state is ImageState.LINKING:
        return [[m, [m], "linking", -1, "", "", None, [], [], [], [], None, 0, None] for m in range(16)]
    states = ["complete"] * 8 if state is ImageState.MERGED else ["drawing", "quality", "coverage", *["complete"] * 5]
    return [[c, [c, c + 8], now, c, "", "", None, [], votes, [], [], 1, 0, None] for c, now in enumerate(states)]


def _boxes() -> list[Any]:
    return [
        [b, b % 8, [10 + b, 10, 80 + b, 70], "discarded" if b % 7 == 6 else "accepted", 1, b, b + 1] for b in range(11)
    ]


def _open(state: ImageState) -> list[Any]:
    if state is ImageState.MERGED:
        return []
    if state is ImageState.LINKING:
        return [[n, "coreference_link", [n % 8, n % 8 + 8], []] for n in range(36)]
    return [
        [n, task, [n % 7, n - 56] if task == "box_quality" else [n % 7], []]
        for task, first, end in LATER
        for n in range(first, end)
    ]
