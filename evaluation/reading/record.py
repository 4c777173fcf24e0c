"""The record of a project as pictures: an export as JSON Lines, an image a line."""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from evaluation.errors import InputError
from evaluation.reading.json_lines import listed, member, number, whole
from evaluation.reading.picture import NOT_VISUAL, Box, Picture, PictureCaption, PicturePhrase

Placed = tuple[int, int, str, tuple[str, ...]]
"""A phrase: its first word and the one behind its last, its chain and its types."""


def read_record(lines: Iterable[tuple[str, Any]]) -> list[Picture]:
    """Return the pictures by name of lines, each with its place, with the chains and boxes of the outcome so far.

    Images whose phrases have no chains yet are left out. Raises InputError, which names the line.
    """
    images = (line for line in lines if is_image(line[1], line[0]))
    found = [picture for where, line in images if (picture := _picture(line, where)) is not None]
    return sorted(found, key=lambda one: one.name)


def is_image(line: Any, where: str) -> bool:
    """Tell a line of an image from that of the project. Raises InputError for any other."""
    kind = member(line, "kind", where)
    if kind not in ("project", "image"):
        raise InputError(f"{where}: the kind is {json.dumps(kind)[:40]}: give an export as jsonl.")
    return bool(kind == "image")


def final_chain(chain: int, merged: dict[int, int | None], where: str) -> int:
    """Return the chain that this one became part of, or itself. Raises InputError for a circle.

    Notes in `merged` where each chain on the way ends, so that a long way is gone once.
    """
    seen = {chain}
    while (into := merged.get(chain)) is not None:
        if into in seen:
            raise InputError(f"{where}: chain {chain} was merged into itself.")
        seen.add(into)
        chain = into
    merged |= dict.fromkeys(seen - {chain}, chain)
    return chain


def merged_chains(chains: list[Any], where: str) -> dict[int, int | None]:
    """Return for each chain the one that it became part of. Raises InputError for a chain that is no number."""
    return {
        whole(member(chain, "name", where), f"{where}: a chain"): None
        if chain.get("merged_into") is None
        else whole(chain["merged_into"], f"{where}: 'merged_into'")
        for chain in chains
    }


def _picture(line: Any, where: str) -> Picture | None:
    chains = listed(line, "chains", where)
    merged = merged_chains(chains, where)
    placed: dict[int, list[Placed]] = defaultdict(list)
    for mention in listed(line, "mentions", where):
        if (chain := member(mention, "chain", where)) is None:
            return None
        own = _name(final_chain(whole(chain, f"{where}: a chain"), merged, where))
        caption, start, end = (
            whole(member(mention, name, where), f"{where}: {name!r}") for name in ("caption", "start", "end")
        )
        types = tuple(str(kind).replace(" ", "") for kind in listed(mention, "types", where))
        placed[caption].append((start, end, own, types))
    captions = tuple(
        _caption(caption, place, placed[place], where) for place, caption in enumerate(listed(line, "captions", where))
    )
    if beyond := [caption for caption in placed if caption >= len(captions)]:
        raise InputError(f"{where}: a mention is in caption {beyond[0]}, of {len(captions)} captions counted from 0.")
    flags = {
        _name(final_chain(chain["name"], merged, where)): frozenset((chain["non_visual"],))
        for chain in chains
        if chain.get("non_visual")
    }
    width, height = (whole(member(line, name, where), f"{where}: the {name}") for name in ("width", "height"))
    return Picture(str(member(line, "name", where)), width, height, captions, _boxes(line, merged, where), flags=flags)


def _name(chain: int) -> str:
    """Return the chain's name. Chains are named by their first mention, from 0, and NOT_VISUAL is taken."""
    return str(chain + 1)


def _caption(value: Any, place: int, phrases: list[Placed], where: str) -> PictureCaption:
    words = tuple(map(str, listed(value, "words", where)))
    hidden = (_span(span, where) for span in listed(value, "non_visual", where))
    every = sorted([*phrases, *((*span, NOT_VISUAL, ("notvisual",)) for span in hidden)])
    if every and not all(0 <= start < end <= len(words) for start, end, _, _ in every):
        raise InputError(f"{where}: a phrase of caption {place} has no words of it.")
    return PictureCaption(
        words,
        tuple(
            PicturePhrase(place, i, start, words[start:end], chain, types)
            for i, (start, end, chain, types) in enumerate(every)
        ),
    )


def _span(value: Any, where: str) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise InputError(f"{where}: {str(value)[:40]} is no span of words.")
    return whole(value[0], f"{where}: a span"), whole(value[1], f"{where}: a span")


def _boxes(line: Any, merged: dict[int, int | None], where: str) -> dict[str, list[Box]]:
    """Return the boxes of the result by chain; before boxes are merged, those that were accepted."""
    found: dict[str, list[Box]] = defaultdict(list)
    for box in line.get("merged_boxes") or ():
        for chain in listed(box, "chains", where):
            found[_name(whole(chain, f"{where}: a chain"))].append(_box(box, where))
    if not found:
        for box in listed(line, "boxes", where):
            if member(box, "state", where) == "accepted":
                chain = final_chain(whole(member(box, "chain", where), f"{where}: a chain"), merged, where)
                found[_name(chain)].append(_box(box, where))
    return dict(found)


def _box(value: Any, where: str) -> Box:
    edges = listed(value, "box", where)
    if len(edges) != 4:
        raise InputError(f"{where}: a box has {len(edges)} edges, not 4.")
    x0, y0, x1, y1 = (number(edge, f"{where}: a box") for edge in edges)
    return x0, y0, x1, y1
