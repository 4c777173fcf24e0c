"""Effects of an expert's act, said in sentences before it is taken."""

from collections import Counter

from django.template.defaultfilters import pluralize

from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.flow import SETTLED
from pipeline.record.intervene import ImagePreview

WHERE = {ChainState.REVIEW: "waits in review until an expert sends it on"}


def what_changes(preview: ImagePreview) -> list[str]:
    """Return a sentence for the image, the merged result, each chain that changes, the boxes, answers and questions."""
    before, after = preview
    found = [*_image(before, after), *_chains(before, after), *_boxes(before, after)]
    return [*found, *_answers(before, after), *_questions(before, after)]


def undoes_paid_work(preview: ImagePreview) -> bool:
    """Tell whether an act reopens a finished image, or takes from workers' answers or boxes what they have counted for.

    Whoever takes such an act gives a reason.
    """
    before, after = preview
    reopened = before.state is ImageState.MERGED is not after.state
    lost = _accepted(before) - _accepted(after)
    return reopened or any(before.boxes[number].worker is not None for number in lost) or _uncounted(before, after) > 0


def _image(before: ImageProgress, after: ImageProgress) -> list[str]:
    if before.state is not ImageState.MERGED:
        merged = after.state is ImageState.MERGED
        return ["The image is finished again, with its merged result."] if merged else []
    if after.state is ImageState.MERGED:
        return []
    found = ["The image is no longer finished: exports leave it out until it is merged again."]
    boxes = sum(len(merged.members) > 1 for merged in before.merged)
    chains = sum(chain.merged_into is not None for chain in before.chains.values())
    undone = [f"{boxes} joined box{pluralize(boxes, 'es')}"] if boxes else []
    undone += [f"{chains} joined chain{pluralize(chains)}"] if chains else []
    if undone:
        found.append(f"The merged result is undone: {' and '.join(undone)}.")
    waits = any(chain.state not in SETTLED for chain in after.chains.values())
    when = "once every chain is complete or non-visual again" if waits else "at once"
    return [*found, f"Boxes and chains are merged anew {when}."]


def _chains(before: ImageProgress, after: ImageProgress) -> list[str]:
    found = []
    for name, chain in after.chains.items():
        old = before.chains.get(name)
        if old is not None and old.state is chain.state and old.mentions == chain.mentions:
            continue
        where = WHERE.get(chain.state, f"is then in state {chain.state}")
        was = "which is new," if old is None else f"which is in state {old.state} now,"
        found.append(f"The chain {_phrases(after, name)}, {was} {where}.")
    gone = [name for name in before.chains if name not in after.chains]
    return [*found, *(f"The chain {_phrases(before, name)} is gone." for name in gone)]


def _phrases(progress: ImageProgress, name: int) -> str:
    return " · ".join(f"“{progress.mentions[number].text}”" for number in progress.chains[name].mentions)


def _boxes(before: ImageProgress, after: ImageProgress) -> list[str]:
    lost = _accepted(before) - _accepted(after)
    gained = _accepted(after) - _accepted(before)
    found = [f"{len(lost)} accepted box{pluralize(len(lost), 'es')} will be discarded."] if lost else []
    return [*found, *([f"{len(gained)} box{pluralize(len(gained), 'es')} will be added."] if gained else [])]


def _accepted(progress: ImageProgress) -> set[int]:
    return {number for number, box in progress.boxes.items() if box.state is BoxState.ACCEPTED}


def _answers(before: ImageProgress, after: ImageProgress) -> list[str]:
    lost, back = _uncounted(before, after), _uncounted(after, before)
    found = [f"{lost} vote{pluralize(lost)} of workers no longer count{pluralize(lost, 's,')}."] if lost else []
    return [*found, *([f"{back} vote{pluralize(back)} of workers count{pluralize(back, 's,')} again."] if back else [])]


def _uncounted(before: ImageProgress, after: ImageProgress) -> int:
    return len(_votes(before) - _votes(after))


def _votes(progress: ImageProgress) -> set[int]:
    chains = progress.chains.values()
    answers = [
        answer.entry for chain in chains for answer in chain.answers if answer.worker is not None and answer.counts
    ]
    return {*answers, *(vote.entry for votes in progress.votes_by(model=False).values() for vote in votes)}


def _questions(before: ImageProgress, after: ImageProgress) -> list[str]:
    opened = Counter(question.task.label for number, question in after.open.items() if number not in before.open)
    closed = Counter(question.task.label for number, question in before.open.items() if number not in after.open)
    found = [f"Closed without an answer: {_tasks(closed)}."] if closed else []
    return [*found, *([f"Workers are asked, and paid, again: {_tasks(opened)}."] if opened else [])]


def _tasks(counted: Counter[str]) -> str:
    return ", ".join(f"{task} ({count})" for task, count in sorted(counted.items()))
