"""Explanation [paper 3.3]: why the right answer of an example is right, in words about this example.

A requester's own words are better. These say only what gold or the decided answer knows for certain.
"""

from collections.abc import Mapping, Sequence

from annotation.rules.box import Box, iou
from pipeline.known.known_answer import Mistake, is_sweep, wrong_box
from pipeline.known.known_from_gold import GoldQuestion, KnownChain
from pipeline.known.question_mix import answer_name
from pipeline.protocol.tasks.survey import AtomAnswer, CaptionVerdict, caption_verdict, tokens
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task

REPEATED_IOU = 0.9
"""From this IOU on, a new box is around what an accepted box is around."""


def explain(known: GoldQuestion, phrases: Mapping[int, str], chains: Sequence[KnownChain] = ()) -> str:
    """Explain why the truth of an example is right. `phrases`: of the image's mentions, by number.

    `chains`: the image's gold; without it the explanation says less.
    """
    if known.task in SURVEY_TASKS:
        return _survey(known)
    numbers = [place[0] for place in known.shown["mentions"]]
    names = [f"“{phrases[number]}”" for number in numbers]
    if is_sweep(known.task, known.truth):
        same = [number in known.truth["same"] for number in numbers]
        return _sweep(names[0], [name for name, touched in zip(names, same, strict=True) if touched], len(names) - 1)
    own = [next((chain for chain in chains if number in chain.mentions), None) for number in numbers]
    answer = answer_name(known.task, known.truth)
    match known.task:
        case Task.COREFERENCE_LINK:
            return _link(answer, names, own)
        case Task.CHAIN_VERIFICATION:
            return _chain(answer, names, own)
        case Task.BOX_REQUIREMENT:
            return {
                "box": f"You can see {names[0]} in the picture, and a box fits around it.",
                "scene": f"{names[0]} is the place as a whole, not a thing in it.",
                "no box": f"Nothing that {names[0]} means can be seen with an outline in this picture.",
            }[answer]
        case Task.BOX_QUALITY:
            return _quality(answer, known, names[0], own[0])
        case _:
            return _boxes(known, names[0], own[0])


def _survey(known: GoldQuestion) -> str:
    asked = known.shown["survey"]
    if known.task is Task.ATOM_VISUAL:
        seen = known.truth == AtomAnswer.YES
        return f"What “{asked['atom']}” means {'can' if seen else 'cannot'} be seen in a picture."
    if caption_verdict(known.truth) is CaptionVerdict.CORRECT:
        return "Every word of the caption fits the picture."
    if "word" not in known.truth:
        return "A word of the caption does not fit the picture."
    return f"“{tokens(asked['caption'])[known.truth['word']]}” does not fit the picture."


def _sweep(name: str, same: Sequence[str], candidates: int) -> str:
    if not same:
        return f"Each of the other phrases means something else than {name} in this picture."
    others = "the others mean something else" if candidates - len(same) > 1 else "the other means something else"
    rest = f"; {others}" if len(same) < candidates else ""
    return f"{_listed([name, *same])} {'all ' if len(same) > 1 else ''}mean the same in this picture{rest}."


def _link(answer: str, names: Sequence[str], own: Sequence[KnownChain | None]) -> str:
    a, b = names
    if answer == "same":
        return f"In this picture {a} and {b} mean the same."
    boxes = [set(chain.boxes) if chain else set() for chain in own]
    for few, many, which, whole in ((boxes[0], boxes[1], a, b), (boxes[1], boxes[0], b, a)):
        if few and few < many:
            return f"{which} means only a part of what {whole} means: {len(few)} of {len(many)} things."
    return f"{a} is one thing in this picture, {b} is another."


def _chain(answer: str, names: Sequence[str], own: Sequence[KnownChain | None]) -> str:
    if answer == "true":
        return f"{_listed(names)} {'all ' if len(names) > 2 else ''}mean the same in this picture."
    alone = [name for name, chain in zip(names, own, strict=True) if chain and own.count(chain) == 1]
    if len(alone) == 1 and len(names) > 2:
        return f"{alone[0]} means something else than {_listed([name for name in names if name != alone[0]])}."
    return f"{_listed(names)} do not {'all ' if len(names) > 2 else ''}mean the same in this picture."


def _quality(answer: str, known: GoldQuestion, name: str, chain: KnownChain | None) -> str:
    if answer == "good":
        several = chain is not None and len(chain.boxes) > 1
        return f"The new box is tight around the whole of {'one thing of ' if several else ''}{name}."
    new = Box(*known.shown["new_box"])
    if any(iou(new, Box(*box)) >= REPEATED_IOU for box in known.shown["boxes"]):
        return f"This thing of {name} has a box already."
    return {
        Mistake.TOO_LARGE: f"The new box is much larger than {name}.",
        Mistake.TOO_SMALL: f"The new box cuts off a part of {name}.",
        Mistake.ELSEWHERE: f"The new box is off {name}: it cuts a part off and holds what does not belong to it.",
    }.get(wrong_box(new, chain.boxes if chain else ()), f"The new box is not tight around the whole of {name}.")


def _boxes(known: GoldQuestion, name: str, chain: KnownChain | None) -> str:
    """Explain box drawing and box coverage: what is missing, and what is there."""
    there = [Box(*box) for box in known.shown["boxes"]]
    if known.task is Task.BOX_DRAWING:
        missing = len(known.truth)
    elif known.truth == "all there":
        missing = 0
    else:
        missing = len(set(chain.boxes) - set(there)) if chain else 1
        if chain and there and not set(there) & set(chain.boxes):
            return f"The box is around something else: {name} has none."
    if not missing:
        return f"Everything that {name} means has its box." if there else f"No thing with an outline is {name} here."
    if known.task is Task.BOX_COVERAGE:
        return (
            f"One thing that {name} means has no box." if missing == 1 else f"{missing} things of {name} have no box."
        )
    if missing == 1:
        return f"{'One box is missing' if there else 'One box is needed'} for {name}: tight, around the whole."
    return f"{missing} boxes are missing for {name}. Each of them is right: tight, around the whole of one thing."


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
