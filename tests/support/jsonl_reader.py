"""A reader of JSON Lines exports in plain Python, written from docs/reference and the protocol alone.

It replays the record of each image: what was voided does not count, and nothing of the service is imported.
Links and merging by the protocol alone, for the reader of JSON Lines exports. Nothing of the service is imported.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import floor
from pathlib import Path
from typing import Any

Pair = tuple[int, int]


def read(file: Path) -> dict[str, "Replayed"]:
    """Return every image of the export by name, replayed."""
    first, *lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert (first["kind"], first["format"]) == ("project", 1)
    settings = {version["version"]: version["values"] for version in first["settings"]}
    return {line["name"]: Replayed(line, settings) for line in lines}


class Replayed:
    """One image: its record from the import on, entry by entry. The tables of the line are not looked at."""

    def __init__(self, line: dict[str, Any], settings: dict[int, dict[str, Any]]) -> None:
        self.questions = {question["number"]: question for question in line["questions"]}
        self.voided = {n for e in line["record"] if e["kind"] == "void" for n in e["data"]["entries"]}
        self.mentions: dict[int, dict[str, Any]] = {}
        self.chains: dict[int, list[int]] = {}
        self.kinds: dict[int, str] = {}
        self.boxes: dict[int, dict[str, Any]] = {}
        self.votes: dict[Pair, list[bool]] = defaultdict(list)
        self.given: dict[Pair, bool] = {}
        self.skipped: set[Pair] = set()
        self.tallies: dict[int, list[Any]] = defaultdict(list)
        self.reports: list[tuple[str, int, Any]] = []
        self.merged: list[tuple[list[int], list[int]]] = []
        self.merged_into: dict[int, int] = {}
        self.linking = False
        for entry in line["record"]:
            self.now, self.settings = entry["sequence"], settings[entry["settings"]]
            if entry["kind"] == "expert":
                self._open_again()
            getattr(self, f"_{entry['kind']}")(entry["data"])
            if self.linking:
                self._place_groups()

    # --- Kinds of entries ---

    def _import(self, data: dict[str, Any]) -> None:
        self._add_mentions(data["mentions"])
        for chain in data.get("chains", ()):
            self.chains[chain["mentions"][0]] = self._ordered(chain["mentions"])
            self.kinds[chain["mentions"][0]] = chain["non_visual"]
        for box in data.get("boxes", ()):
            members = [self._add_box(chain, box["box"], "accepted") for chain in box["chains"]]
            self.merged.append((box["box"], members))

    def _start(self, data: dict[str, Any]) -> None:
        self.linking = True

    def _judgment(self, data: dict[str, Any]) -> None:
        question, answer = self.questions[data["question"]], data["answer"]
        if self._closed_before(question):
            return  # too late: it was closed by another answer
        subject = question["subject"]
        if question["task"] == "box_drawing" and "box" in answer:
            self._add_box(subject[0], answer["box"], "pending")
        if self.now in self.voided:
            return
        if question["task"] == "coreference_link":
            self.votes[subject[0], subject[1]].append(answer == "same")
        elif question["task"] == "chain_verification" and answer == "false":
            self._break(subject[0])
        elif question["task"] == "box_requirement":
            self.tallies[subject[0]].append(answer)
        elif question["task"] == "box_quality":
            good = answer == "good"
            self.boxes[subject[1]] |= {
                "state": "accepted" if good else "discarded",
                "accepted": self.now if good else None,
            }

    def _void(self, data: dict[str, Any]) -> None:
        for box in self.boxes.values():
            if box["drawn"] in data["entries"]:
                box["state"] = "discarded"

    def _report(self, data: dict[str, Any]) -> None:
        self.reports.append((data["what"], data["number"], data["worker"]))
        same = [one for one in self.reports if one[:2] == (data["what"], data["number"])]
        if not data["expert"] and len({one[2] for one in same} - {None}) < self.settings["reports_to_review"]:
            return
        self.reports = [one for one in self.reports if one not in same]
        for number, mention in self.mentions.items():
            place = {"mention": number, "caption": mention["caption"], "image": 0}[data["what"]]
            if place == data["number"]:
                self._open_again()
                self._rest(self._chain_of(number))

    def _starve(self, data: dict[str, Any]) -> None:
        question = self.questions[data["question"]]
        if self._closed_before(question):
            return
        if question["task"] == "coreference_link":
            self.skipped.add((question["subject"][0], question["subject"][1]))
        else:
            self._rest(question["subject"][0])

    def _merge(self, data: dict[str, Any]) -> None:
        boxes = [
            box | {"types": self._types(box["chain"])} for box in self.boxes.values() if box["state"] == "accepted"
        ]
        boxes.sort(key=lambda box: (box["accepted"], box["number"]))
        self.merged = merge_boxes(boxes, self.settings)
        first: dict[frozenset[int], int] = {}
        for chain in self._ordered(list(self.chains)):
            own = {number for number, box in self.boxes.items() if box["chain"] == chain}
            pointed = frozenset(place for place, (_, members) in enumerate(self.merged) if own.intersection(members))
            if pointed and first.setdefault(pointed, chain) != chain:
                self.merged_into[chain] = first[pointed]

    def _expert(self, data: dict[str, Any]) -> None:
        # "on_loan" lists links on loan when the strategy changed: their questions say when they closed.
        arguments = {name: value for name, value in data.items() if name not in ("action", "on_loan")}
        getattr(self, f"_expert_{data['action'].replace(' ', '_')}")(**arguments)

    # --- What an expert does ---

    def _expert_send(self, chain: int, to: str, kind: str = "") -> None:
        self._rest(chain)
        self.tallies[chain] = []
        self.kinds[chain] = kind if to == "non-visual" else ""

    def _expert_link(self, first: int, second: int, *, same: bool) -> None:
        a, b = self._ordered([first, second])
        self.given[a, b] = same

    def _expert_join(self, chains: list[int]) -> None:
        mentions = self._ordered([number for chain in chains for number in self._rest(chain)])
        for chain in chains:
            self.chains.pop(chain, None)
        self.chains[mentions[0]] = mentions
        for box in self.boxes.values():
            box["chain"] = mentions[0] if box["chain"] in chains else box["chain"]

    def _expert_split(self, chain: int, parts: list[list[int]]) -> None:
        self._rest(chain)
        for part in map(self._ordered, parts):
            self.chains[part[0]] = part

    def _expert_draw(self, chain: int, box: list[int]) -> None:
        self._rest(chain)
        self._add_box(chain, box, "accepted")

    def _expert_delete_box(self, box: int) -> None:
        self._rest(self.boxes[box]["chain"])
        self.boxes[box]["state"] = "discarded"

    def _expert_retype(self, mention: int, types: list[str]) -> None:
        self.mentions[mention]["types"] = types

    def _expert_chunk(self, add: list[list[Any]]) -> None:
        self._add_mentions(add)

    def _expert_rechunk(self, remove: list[int], add: list[list[Any]]) -> None:
        for number in remove:
            self._remove_mention(number)
        for row in add:
            self.chains[row[0]] = [row[0]]
        self._add_mentions(add)

    # --- Links ---

    def _place_groups(self) -> None:
        """Make the chains of every group whose links are all answered: none of its questions is closed later."""
        placed = {number for chain in self.chains.values() for number in chain}
        for group in self._groups([number for number in self.mentions if number not in placed]):
            asked = [
                q for q in self.questions.values() if q["task"] == "coreference_link" and set(q["subject"]) & group
            ]
            if all(q["closed"] is not None and q["closed"] <= self.now for q in asked):
                ordered = [self.mentions[number] for number in self._ordered(list(group))]
                plus = self.settings["strategy"].endswith("plus")
                for chain in link_chains(ordered, self.votes, self.given, self.skipped, plus=plus):
                    self.chains[chain[0]] = chain

    def _groups(self, numbers: list[int]) -> list[set[int]]:
        groups: list[set[int]] = []
        for number in numbers:
            types = set(self.mentions[number]["types"])
            near = [g for g in groups if any(types & set(self.mentions[one]["types"]) for one in g)]
            groups = [group for group in groups if group not in near] + [{number}.union(*near)]
        return groups

    # --- Chains and boxes ---

    def _break(self, chain: int) -> None:
        parts: dict[str, list[int]] = defaultdict(list)
        for number in self.chains[chain]:
            words = self.mentions[number]["text"].split()
            readable = [word for word in words if any(one.isalnum() for one in word)] or words
            parts[readable[-1].lower()].append(number)
        for part in parts.values():
            self.chains[part[0]] = part

    def kind(self, chain: int) -> str:
        """Return what a non-visual chain is: as imported, as an expert said, or by the tally."""
        if self.kinds.get(chain):
            return self.kinds[chain]
        scene, no_box = self.tallies[chain].count(2), self.tallies[chain].count(3)
        return "scene" if scene > no_box or (scene == no_box and "scene" in self._types(chain)) else "no box"

    def _types(self, chain: int) -> set[str]:
        return {one for number in self.chains[chain] for one in self.mentions[number]["types"]}

    def _closed_before(self, question: dict[str, Any]) -> bool:
        return question["closed"] is not None and question["closed"] < self.now

    def _open_again(self) -> None:
        self.merged, self.merged_into = [], {}

    def _rest(self, chain: int | None) -> list[int]:
        """Discard the chain's box that waits for its quality judgment, as it goes to review."""
        for box in self.boxes.values():
            if box["chain"] == chain and box["state"] == "pending":
                box["state"] = "discarded"
        return [] if chain is None else self.chains[chain]

    def _remove_mention(self, number: int) -> None:
        chain = self._chain_of(number)
        del self.mentions[number]
        if chain is None:
            return
        self._rest(chain).remove(number)
        left = self.chains[chain]
        if chain == number:
            del self.chains[chain]
        if left:
            self.chains[left[0]] = left
        for box in self.boxes.values():
            if box["chain"] == chain and not left:
                box["state"] = "discarded"
            elif box["chain"] == chain:
                box["chain"] = left[0]

    def _add_mentions(self, rows: list[list[Any]]) -> None:
        for number, caption, start, _, types, text, *more in rows:
            # Behind the words before it and its vector: the form in which it is compared, if that is not its text.
            text = (more[2] if len(more) > 2 else "") or text
            self.mentions[number] = {"number": number, "caption": caption, "start": start, "types": types, "text": text}

    def _add_box(self, chain: int, edges: list[int], state: str) -> int:
        accepted = self.now if state == "accepted" else None
        number = len(self.boxes)
        box = {"number": number, "chain": chain, "box": edges, "state": state, "drawn": self.now, "accepted": accepted}
        self.boxes[number] = box
        return number

    def _chain_of(self, mention: int) -> int | None:
        return next((name for name, chain in self.chains.items() if mention in chain), None)

    def _ordered(self, numbers: list[int]) -> list[int]:
        return sorted(numbers, key=lambda number: (self.mentions[number]["caption"], self.mentions[number]["start"]))


Group = list[dict[str, Any]]


def link_chains(
    group: Group,
    votes: Mapping[Pair, Sequence[bool]],
    given: Mapping[Pair, bool],
    skipped: Collection[Pair],
    *,
    plus: bool,
) -> list[list[int]]:
    """Return the chains of a group of mentions in reading order, by the strategies of the paper.

    The "yes" links join, an expert's first, then by margin. Under a "plus" strategy a settled "no" keeps chains apart.
    """
    yes: list[tuple[bool, int, int, int]] = []
    apart: set[Pair] = set()
    for x, y in combinations(range(len(group)), 2):
        pair = group[x]["number"], group[y]["number"]
        cast = votes.get(pair, ())
        margin = 2 * sum(cast) - len(cast)
        if pair in given:
            if given[pair]:
                yes.append((False, 0, x, y))
            else:
                apart.add(pair)
        elif pair not in skipped and cast and margin > 0:
            yes.append((True, -margin, x, y))
        elif pair not in skipped and (margin < 0 or (not cast and _ruled_out(group[x], group[y]))):
            apart.add(pair)
    chain_of = {place: [place] for place in range(len(group))}
    for asked, _, x, y in sorted(yes):
        one, other = chain_of[x], chain_of[y]
        clash = any((group[min(a, b)]["number"], group[max(a, b)]["number"]) in apart for a in one for b in other)
        if one is not other and not (plus and asked and clash):
            joined = [*one, *other]
            chain_of |= dict.fromkeys(joined, joined)
    chains = {tuple(sorted(chain)) for chain in chain_of.values()}
    return [[group[place]["number"] for place in chain] for chain in sorted(chains)]


def _ruled_out(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return bool(a["caption"] == b["caption"] or not set(a["types"]) & set(b["types"]))


def merge_boxes(boxes: Group, settings: dict[str, Any]) -> list[tuple[list[int], list[int]]]:
    """Return the merged boxes, each with the numbers of its members. `boxes`: in the order of their acceptance."""
    groups: list[Group] = [[box] for box in boxes]
    refused: list[tuple[Group, Group]] = []
    while pairs := [pair for pair in combinations(groups, 2) if pair not in refused]:
        # max returns the first of equals, and the groups stay in the order of their first members.
        one, other = max(pairs, key=lambda pair: _iou(_mean(pair[0]), _mean(pair[1])))
        both = sorted([*one, *other], key=boxes.index)
        least = _least(both, settings)
        fits = _iou(_mean(one), _mean(other)) >= least and all(_iou(box["box"], _mean(both)) >= least for box in both)
        if fits and all(_may_merge(a, b, settings) for a in one for b in other):
            rest = [group for group in groups if group is not one and group is not other]
            groups = sorted([*rest, both], key=lambda group: boxes.index(group[0]))
        else:
            refused.append((one, other))
    return [(_mean(group), [box["number"] for box in group]) for group in groups]


def _least(group: Group, settings: dict[str, Any]) -> Fraction:
    other = any("other" in box["types"] for box in group)
    return Fraction(str(settings["merge_iou_other" if other else "merge_iou"]))


def _may_merge(a: dict[str, Any], b: dict[str, Any], settings: dict[str, Any]) -> bool:
    allowed = [set(pair) for pair in settings["mergeable_types"]]
    every = all({x, y} in allowed for x in a["types"] for y in b["types"])
    return a["chain"] != b["chain"] and (bool(a["types"] & b["types"]) or every)


def _mean(group: Group) -> list[int]:
    sides = zip(*(box["box"] for box in group), strict=True)
    return [floor(Fraction(sum(side), len(group)) + Fraction(1, 2)) for side in sides]


def _iou(a: list[int], b: list[int]) -> Fraction:
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(across, 0) * max(down, 0)
    return Fraction(shared, sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (a, b)) - shared)
