"""Lives of images by chance, each a function of its mode and number: what is imported, what is done, and under what.

Each step draws from a chance of its own, so that a step that goes another way moves no draw of a later one. Draws see
nothing but sorted numbers, the values of tasks, and what is open; names of the product's functions play no part.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from tests.support.golden_machine import DONE, FAILS, Asked, GoldenMachine, usual_links

MODES = ("paper", "adaptive", "belief", "reference", "models")
PAPER = ["exhaustive", "greedy", "exhaustive plus", "greedy plus"]
JUDGES, PROPOSERS = [70, 71, 72], [40, 41]
REFERENCE = PROPOSERS[-1]
"""The program that stands for the data set that is checked."""
PEOPLE = range(15)
SIZE = 100
"""The edge of the picture in pixels."""
ALIKE = [[10, 10, 50, 50], [14, 10, 54, 50], [10, 13, 50, 52]]
"""Boxes of one thing."""
LINK, DRAWING = "coreference_link", "box_drawing"
BOX_TASKS = ["box_requirement", DRAWING, "box_quality", "box_coverage"]
JUDGED_BY_MODELS = [LINK, "chain_verification", "box_requirement", "box_quality", "box_coverage"]
ANSWERS: dict[str, list[Any]] = {
    LINK: ["same", "same", "same", "different", "different", "a is part of b", "b is part of a"],
    "chain_verification": ["true", "true", "true", "false"],
    "box_requirement": [1, 1, 1, 2, 3, 3],
    "box_quality": ["good", "good", "good", "bad"],
    "box_coverage": ["all there", "all there", "all there", "more needed"],
    "caption_check": [{"verdict": "correct"}, {"verdict": "wrong", "word": 1}],
    "atom_visual": ["yes", "no"],
}
NOUNS = ["a man", "the old man", "dog", "two dogs", "his arm"]
TYPES = ["people", "people", "animals", "scene", "other", "people/other", "animals/people", "pronoun", "body parts"]
STATES = ["requirement", "drawing", "quality", "coverage", "complete", "non-visual", "review", "verification"]

RIGHT = [95.0, 5.0]
SURE = {"missing": RIGHT, "there": RIGHT, "needed": RIGHT, "absent": RIGHT, "good": RIGHT, "bad": {"person": RIGHT}}
SURE_OF_LINKS = {"same": [195.0, 5.0], "different": [195.0, 5.0]}
GOOD_BOXES = {"good": [0.0] * 5 + [98.0], "bad": [0.0] * 5 + [2.0]}
ALONE = {"chains": 400, "forecasts": 300, "mean_chance": 0.95, "right": 0.95, "low": 0.9, "high": 1.0}
HABITS = {"1": {"edges": [0.1, 0.0, -0.1, 0.0], "spread": 0.03}}


def _apart(by: float) -> dict[str, Any]:
    return {pair: {"apart": by} for pair in ("70 71", "41 70")}


def _values_of_models() -> dict[str, list[Any]]:
    """Return the values of the settings of model annotators."""
    names = [str(one) for one in (*JUDGES, *PROPOSERS)]
    known = {"model_annotators": dict.fromkeys(names, SURE), "programs": dict.fromkeys(("40", "41"), GOOD_BOXES)}
    of_links = usual_links() | {"model_annotators": dict.fromkeys(names, SURE_OF_LINKS)}
    return {
        "model_annotators": [JUDGES[:2], JUDGES, [*JUDGES, *PROPOSERS]],
        "model_families": [{}, dict.fromkeys(names, "llava"), {"70": "llava", "71": "llava", "41": "qwen"}],
        "audit_rate": [0.0, 0.2],
        "own_pre_annotations_judged": [False, True],
        "programs_alone": [False, True],
        "box_prior": [
            {},
            known | {"pairs": _apart(5.0), "calibrations": {"alone": ALONE}},
            {"model_annotators": dict.fromkeys(names[1:], SURE), "pairs": _apart(-5.0)},
        ],
        "link_prior": [
            {},
            of_links | {"pairs_of_models": _apart(5.0)},
            of_links | {"pairs_of_models": _apart(-5.0)},
        ],
        "pre_annotations": [True, True, False],
    }


def _values() -> dict[str, dict[str, list[Any]]]:
    """Return, for each mode, the values of the settings that its lives may have; a value given twice comes often."""
    common: dict[str, list[Any]] = {
        "drawn_at_once": [["people"], [], ["scene", "animals"]],
        "no_box_votes": [1, 2, 2, 3],
        "coverage_votes": [1, 2, 2, 3],
        "fruitless_drawings": [1, 2, 4],
        "drawer_judges_coverage": [False, False, True],
        "merge_iou": [0.3, 0.8],
        "merge_iou_other": [0.3, 0.9],
        "reports_to_review": [1, 2],
        "survey_votes": [1, 3],
        "pre_annotations": [False, True],
    }
    links: dict[str, list[Any]] = {
        "strategy": ["adaptive"],
        "link_stop": [0.1, 0.02, 0.3],
        "link_most": [2, 5, 15],
        "link_errors": [{}, {"false_negative": 0.2, "false_positive": 0.1}],
        "most_informative_first": [False, True],
        "reask_rate": [0.0, 0.2],
        "verify_below": [0.3, 0.95, 1.0],
        "program_errors": [{}, {"40": [0.1, 0.2], "41": [0.01, 0.02]}],
    }
    boxes: dict[str, list[Any]] = {
        "box_policy": ["belief"],
        "box_sure": [0.6, 0.9, 0.97],
        "fuse_boxes": [False, True],
        "redraw_below": [0.0, 0.99],
        "box_prior": [{}, {"programs": dict.fromkeys(("40", "41"), GOOD_BOXES)}, {"habits": HABITS}],
    }
    reference: dict[str, list[Any]] = {
        "reference_set": [REFERENCE],
        "reference_trust": [0.6, 0.95],
        "check_audit_rate": [0.0, 0.05],
        "pre_annotations": [True],
        "box_prior": [{}, {"wrong": {"": [0.3, 0.2], "people": [0.0, 0.1]}}],
    }
    strategies: dict[str, list[Any]] = {"strategy": PAPER, "consensus_lead": [1, 2, 3], "consensus_most": [3, 5]}
    beyond: dict[str, list[Any]] = {"beyond_rules": [False, True]}
    return {
        "paper": common | strategies,
        "adaptive": common | links | beyond,
        "belief": common | strategies | links | beyond | boxes | {"strategy": [*PAPER, *["adaptive"] * 4]},
        "reference": common | links | boxes | reference,
        "models": common | links | boxes | _values_of_models(),
    }


VALUES = _values()
POLICY_CHANGES = 10
"""In each so many-th life the box policy changes, too, as the settings do."""


class Act(NamedTuple):
    """One entry that is tried."""

    kind: str
    data: dict[str, Any]


@dataclass
class Life:
    """One image while it lives."""

    mode: str
    number: int
    values: dict[str, Any] = field(default_factory=dict)
    imported: dict[str, Any] = field(default_factory=dict)
    done: list[Act] = field(default_factory=list)
    """The entries after the import, in order, without those that were refused."""
    rare: float = 0.0
    """The share of acts that are no answers while a question is open. 0: nothing but answers happens to it."""

    def __post_init__(self) -> None:
        rng = Random(f"{self.mode} {self.number} import")
        self.values = {name: rng.choice(VALUES[self.mode][name]) for name in sorted(VALUES[self.mode])}
        self.imported = _import(rng)
        self.rare = rng.choice([0.0, 0.0, 0.1, 0.2, 0.2, 0.35])
        self.machine = GoldenMachine(self.imported, self.values)

    def steps(self, length: int) -> Iterator[tuple[Act, str]]:
        """Let so many things happen, and yield each act, and what came of it. An entry that fails is the last."""
        for step in range(length):
            act = self._next(step, Random(f"{self.mode} {self.number} {step}"))
            if act is None:
                continue
            outcome = self.machine.add(act.kind, act.data, self.values)
            self.done += [act] if outcome == DONE else []
            yield act, outcome
            if outcome == FAILS:
                return

    def _next(self, step: int, rng: Random) -> Act | None:
        if self.machine.is_waiting():
            rows = [[number, number % 2, number, number + 1, ["people"], "man"] for number in range(rng.randrange(4))]
            return Act("expert", {"action": "chunk", "add": rows})
        if step == 0 and (self.mode == "reference" or rng.random() < 0.3):
            return predict(self, rng, REFERENCE) if self.mode == "reference" else propose(self, rng)
        if not self.machine.has_started():
            return Act("start", {"seed": rng.randrange(100)})
        if self.machine.may_merge() and rng.random() < 0.4:
            return Act("merge", {})
        happens, rare, takes_up = rng.random(), rng.choice(RARE), rng.choice(TAKES_UP)
        if self.rare and not self.machine.open_questions():
            return takes_up(self, rng)
        return rare(self, rng) if happens < self.rare else answer(self, rng)

    def weighs(self, task: str) -> bool:
        """Return whether a worker's skill counts in an answer to the task."""
        if task == LINK:
            return self.values["strategy"] == "adaptive"
        return task in BOX_TASKS and self.values.get("box_policy") == "belief"


def _import(rng: Random) -> dict[str, Any]:
    kind, alike = rng.random(), rng.random() < 0.3  # so that there are links enough to contradict each other
    if kind < 0.03:
        return {"mentions": [], "waiting": True}
    rows: list[list[Any]] = []
    for caption in range(rng.randint(3, 6) if alike else rng.randint(2, 5)):
        start = sentence = 0
        for _ in range(1 if alike else rng.choice([0, 1, 1, 1, 2])):
            types = "people" if alike else rng.choice(TYPES)
            text = rng.choice(["it", "she", "they"] if types == "pronoun" else NOUNS)
            end, sentence = start + len(text.split()), sentence + (rng.random() < 0.3)
            rows.append([len(rows), caption, start, end, types.split("/"), text, "", "", "", sentence])
            start = end + 1
    if kind > 0.13 or not rows:
        return {"mentions": rows}
    chains = _partition(rng, [row[0] for row in rows])
    flags = [rng.choice(["scene", "", ""]) for _ in chains]
    annotated = [{"mentions": own, "non_visual": flag} for own, flag in zip(chains, flags, strict=True)]
    boxes = [{"box": box(rng), "chains": [own[0]]} for own, flag in zip(chains, flags, strict=True) if not flag]
    return {"mentions": rows, "chains": annotated, "boxes": boxes}


def _partition(rng: Random, mentions: list[int]) -> list[list[int]]:
    chains: list[list[int]] = []
    for mention in mentions:
        place = rng.randrange(len(chains) + 1)
        chains[place:] = [[*chains[place], mention], *chains[place + 1 :]] if place < len(chains) else [[mention]]
    return chains


def box(rng: Random) -> list[int]:
    if rng.random() < 0.5:
        return rng.choice(ALIKE)
    x0, y0 = rng.randrange(SIZE - 1), rng.randrange(SIZE - 1)
    return [x0, y0, rng.randint(x0 + 1, SIZE), rng.randint(y0 + 1, SIZE)]


# --- What can happen ---


def answer(life: Life, rng: Random) -> Act | None:
    """Let a person or a program answer one of the open questions; some programs are not at work."""
    place, by_program, draw = rng.random(), rng.random() < 0.5, rng.random()
    people = rng.sample(PEOPLE, len(PEOPLE))
    programs = rng.sample([*JUDGES, *PROPOSERS], len(JUDGES) + len(PROPOSERS))
    inactive = [program for program in JUDGES if rng.random() < 0.2]
    skill, new = round(rng.uniform(-2, 2), 3), box(rng)
    questions = life.machine.open_questions()
    if not questions:
        return None
    question = questions[int(place * len(questions))]
    uses_programs = by_program and life.mode == "models" and question.task in JUDGED_BY_MODELS
    free = [worker for worker in (programs if uses_programs else people) if worker not in question.barred]
    if not free:
        return Act("starve", {"question": question.number})
    data = {"question": question.number, "worker": free[0], "answer": _said(rng, question, draw, new)}
    if uses_programs:
        data["by_model"] = True
    if life.mode == "models" and inactive:
        data["inactive"] = inactive
    if life.weighs(question.task):
        data["skill"] = skill
    return Act("judgment", data)


def _said(rng: Random, question: Asked, draw: float, new: list[int]) -> Any:
    if question.task != DRAWING:
        return rng.choice(ANSWERS[question.task])
    return {"box": new} if draw < 0.75 else {"none_missing": True}


def late_answer(life: Life, rng: Random) -> Act | None:
    number = int(rng.random() * (life.machine.next_question() + 1))
    closed = number not in {one.number for one in life.machine.open_questions()}
    return Act("judgment", {"question": number, "worker": 1, "answer": "same"}) if closed else None


def ask(life: Life, rng: Random) -> Act:
    return Act("ask", {"task": rng.choice(["caption_check", "atom_visual"]), "item": "a", "shown": {"of": "a"}})


def report(life: Life, rng: Random) -> Act:
    about = [("mention", rng.randrange(6)), ("mention", rng.randrange(6)), ("caption", rng.randrange(3)), ("image", 0)]
    what, number = rng.choice(about)
    by_expert = rng.random() < 0.3
    return Act("report", {"what": what, "number": number, "worker": rng.randrange(3), "expert": by_expert})


def starve(life: Life, rng: Random) -> Act:
    return Act("starve", {"question": int(rng.random() * (life.machine.next_question() + 1))})


def void(life: Life, rng: Random) -> Act | None:
    """Void one or two of the latest judgments: any, the last one, or those of links or open questions."""
    of = rng.choice(["any", "open", "open", "links", "last", "last"])
    places = [rng.random() for _ in range(1 if of == "last" else rng.choice([1, 1, 2]))]
    questions = life.machine.open_questions()
    still = {one.number for one in questions}
    judged = [(number, act.data) for number, act in enumerate(life.done, start=1) if act.kind == "judgment"]
    if of == "open":
        judged = [(number, data) for number, data in judged if data["question"] in still]
    elif of == "links" and any(one.task == LINK for one in questions):
        judged = [(number, data) for number, data in judged if data["answer"] in ANSWERS[LINK]]
    elif of == "last":
        judged = judged[-1:]
    chosen = {judged[-1 - int(place * min(len(judged), 5))][0] for place in places if judged}
    return Act("void", {"entries": sorted(chosen)}) if chosen else None


def change_settings(life: Life, rng: Random) -> Act | None:
    """Change some settings. At times an entry says at once which of the open links are on loan."""
    values = VALUES[life.mode]
    changed = {name: rng.choice(values[name]) for name in rng.sample(sorted(values), rng.choice([1, 2, 8]))}
    policy = rng.choice(["paper", "belief"])
    if life.number % POLICY_CHANGES == 0:
        changed["box_policy"] = policy
    life.values = life.values | changed
    on_loan = [rng.random() < 0.5 for _ in range(200)]
    links = [one.number for one in life.machine.open_questions() if one.task == LINK]
    out = [number for number in links if on_loan[number % 200]]
    data = {"what": "mention", "number": 99, "worker": 1, "expert": False}
    return Act("report", data | {"on_loan": out} if out else data)


def propose(life: Life, rng: Random) -> Act:
    return predict(life, rng, rng.choice(PROPOSERS))


def predict(life: Life, rng: Random, program: int) -> Act:
    """Let a program propose boxes and chains of mentions that are there or not; some questions are on loan."""
    mentions = life.machine.mentions()
    scored = rng.random() < 0.3
    rows = [[mention, *box(rng)] for mention in [*mentions, 99] for _ in range(rng.choice([0, 1, 1, 2]))]
    rows = [[*row, rng.randrange(101)] for row in rows] if scored else rows
    on_loan = [rng.random() < 0.3 for _ in range(200)]
    lent = [one.number for one in life.machine.open_questions() if on_loan[one.number % 200]]
    data: dict[str, Any] = {"worker": program, "boxes": rows, "on_loan": lent}
    if program == REFERENCE or rng.random() < 0.5:
        data["chains"] = _partition(rng, mentions)
    if life.mode == "reference" and program == REFERENCE:
        chosen = [mention for mention in mentions if rng.random() < 0.2]
        data["flags"] = {str(mention): rng.choice(["scene", "no box"]) for mention in chosen}
    return Act("propose", data)


def expert(life: Life, rng: Random) -> Act:
    """Let an expert act, or be refused."""
    chains, mentions = life.machine.chains() or {0: [0]}, life.machine.mentions() or [0]
    chain, mention = rng.choice([*chains]), rng.choice(mentions)
    drawn, own, to = int(rng.random() * max(1, life.machine.next_box())), chains[chain], rng.choice(STATES)
    new, flag = 50 + len(life.done), rng.choice(["scene", "no box"])
    whole = [[own, [box(rng)], ""]]
    parts = [[own[:1], [], flag], [own[1:], [box(rng)], ""]]
    acts: dict[str, dict[str, Any]] = {
        "send": {"chain": chain, "to": to, "kind": flag},
        "link": {"first": mention, "second": rng.choice(mentions), "same": rng.random() < 0.5},
        "join": {"chains": rng.sample([*chains], min(2, len(chains)))},
        "split": {"chain": chain, "parts": [own[1:], own[:1]]},
        "draw": {"chain": chain, "box": box(rng)},
        "delete box": {"box": drawn},
        "move box": {"box": drawn, "to": box(rng)},
        "accept box": {"box": drawn},
        "review": {"chain": chain},
        "ask others": {"chain": chain, "to": to},
        "retype": {"mention": mention, "types": rng.sample(["people", "animals", "scene", "other"], 2)},
        "chunk": {"add": []},
        "rechunk": {
            "remove": [mention] if rng.random() < 0.5 else [],
            "add": [[new, rng.randrange(4), new, new + 2, [rng.choice(["other", "people"])], "a thing"]],
        },
        "confirm": {"labels": whole},
        "take back": {"labels": rng.choice([whole, parts]), "was": whole},
    }
    action = rng.choice(["send", "send", "link", "link", *acts])
    return Act("expert", {"action": action, **acts[action]})


def undo(life: Life, rng: Random) -> Act | None:
    """Undo one of the latest acts of an expert, or the undo of one."""
    acts = [number for number, act in enumerate(life.done, start=1) if act.kind in ("expert", "undo")]
    place = int(rng.random() * 3)
    return Act("undo", {"undo": acts[-1 - place]}) if place < len(acts) else None


RARE: list[Callable[[Life, Random], Act | None]] = [
    *(late_answer, ask, report, starve, change_settings, propose, undo),
    *[void] * 6,
    *[expert] * 4,
]
TAKES_UP: list[Callable[[Life, Random], Act | None]] = [*RARE[:7], undo, void, *[expert] * 8]
"""The act where nothing is open: mostly acts of experts, who open something again."""
