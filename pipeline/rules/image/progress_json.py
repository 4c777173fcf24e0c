"""Progress of one image [paper 3], to JSON and back: what `Progress.state` holds in the database."""

from typing import Any

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.rules.image.progress import (
    BoxProgress,
    ChainProgress,
    ImageProgress,
    MentionProgress,
    MergedBoxProgress,
    OpenQuestion,
)
from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.linking.transitivity import Pair
from pipeline.rules.tasks.task import Task


def to_json(progress: ImageProgress) -> dict[str, Any]:
    """Lists in a fixed order, so that equal progress gives equal JSON; "voided" only where something was."""
    voided = [[*pair, workers] for pair, workers in progress.voided.items()]
    return {
        "sequence": progress.sequence,
        "state": progress.state.value,
        "started": progress.started,
        "waiting": progress.waiting,
        "numbered": progress.numbered,
        "asked": progress.asked,
        "drawn": progress.drawn,
        "mentions": [[m.number, m.caption, m.start, m.end, m.types, m.text] for m in progress.mentions.values()],
        "chains": [_chain_json(progress.chains[name]) for name in sorted(progress.chains)],
        "boxes": [
            [b.number, b.chain, list(b.box), b.state.value, b.worker, b.entry, b.accepted]
            for b in progress.boxes.values()
        ],
        "open": [[q.number, q.task.value, q.subject, q.barred] for q in progress.open.values()],
        "votes": [[*pair, votes] for pair, votes in progress.votes.items()],
        "given": [[*pair, same] for pair, same in progress.given.items()],
        **({"voided": voided} if voided else {}),
        "skipped": [list(pair) for pair in progress.skipped],
        "flagged": [[mention, reason] for mention, reason in progress.flagged.items()],
        "sources": [[*pair, source.value] for pair, source in progress.sources.items()],
        "reports": progress.reports,
        "merged": [[m.number, list(m.box), m.members] for m in progress.merged],
    }


def from_json(data: dict[str, Any]) -> ImageProgress:
    return ImageProgress(
        sequence=data["sequence"],
        state=ImageState(data["state"]),
        started=data["started"],
        waiting=data["waiting"],
        numbered=data["numbered"],
        asked=data["asked"],
        drawn=data["drawn"],
        mentions={row[0]: MentionProgress(*row) for row in data["mentions"]},
        chains={row[0]: _chain(row) for row in data["chains"]},
        boxes={row[0]: _box(row) for row in data["boxes"]},
        open={row[0]: OpenQuestion(row[0], Task(row[1]), row[2], row[3]) for row in data["open"]},
        votes={_pair(row): row[2] for row in data["votes"]},
        given={_pair(row): row[2] for row in data["given"]},
        voided={_pair(row): row[2] for row in data.get("voided", ())},
        skipped=[_pair(row) for row in data["skipped"]],
        flagged=dict(data["flagged"]),
        sources={_pair(row): LinkSource(row[2]) for row in data["sources"]},
        reports=data["reports"],
        merged=[MergedBoxProgress(number, Box(*box), members) for number, box, members in data["merged"]],
    )


def _pair(row: list[Any]) -> Pair:
    return row[0], row[1]


def _chain_json(chain: ChainProgress) -> list[Any]:
    """A confidence comes last and only if there is one: what was kept before there were any still reads the same."""
    row = [
        chain.name,
        chain.mentions,
        chain.state.value,
        chain.representative,
        chain.non_visual,
        chain.doubted,
        chain.review,
        chain.requirement,
        chain.coverage,
        chain.coverage_barred,
        chain.fruitless,
        chain.merged_into,
    ]
    return row if chain.confidence is None else [*row, chain.confidence]


def _chain(row: list[Any]) -> ChainProgress:
    return ChainProgress(row[0], row[1], ChainState(row[2]), *row[3:])


def _box(row: list[Any]) -> BoxProgress:
    return BoxProgress(row[0], row[1], Box(*row[2]), BoxState(row[3]), *row[4:])
