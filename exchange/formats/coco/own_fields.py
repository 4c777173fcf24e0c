"""The fields that exports add to COCO's: phrases and chains of captions, chains of boxes."""

from collections.abc import Collection, Iterable, Sequence

from annotation.bounds import LONGEST_DOUBT
from annotation.rules.mention_type import MentionType
from exchange.checks import as_list, as_text, kind, member
from exchange.dataset import DatasetCaption, DatasetChain, DatasetMention
from exchange.formats.coco.tables import Row
from exchange.problems import Defect
from exchange.words import tokenized_caption, words_at

_TYPES = frozenset(map(str, MentionType))


def marked_caption(text: str, row: Row, number: int) -> tuple[DatasetCaption, list[DatasetMention]]:
    """Return the caption with its phrases, if the entry has any marked. Raises Defect for phrases that do not fit."""
    if "phrases" not in row.value:
        return tokenized_caption(text), []
    where = f"{row.where}.phrases"
    rows = as_list(row.value["phrases"], where)
    spans = [_span(member(row, "tokens_positive", where), where) for row in rows]
    hidden_at = f"{row.where}.not_visual"
    hidden = [_span(one, hidden_at) for one in as_list(row.value.get("not_visual", []), hidden_at)]
    caption, found, wrong = words_at(text, [*spans, *hidden])
    for why in wrong.values():
        raise Defect(f"{where}: {why}")
    mentions = [
        DatasetMention(
            number, *found[span], _types(row, where), as_text(member(row, "chain", where), f"{where}: chain")
        )
        for row, span in zip(rows, spans, strict=True)
    ]
    caption = DatasetCaption(caption.text, caption.words, caption.offsets, tuple(found[one] for one in hidden))
    return caption, sorted(mentions, key=lambda one: one.start)


def chains_of(rows: Iterable[Row], mentions: Sequence[DatasetMention]) -> tuple[DatasetChain, ...]:
    """Return the chains that the mentions name, in their order, with what the rows say of them."""
    said = {}
    for row in rows:
        name = as_text(member(row.value, "name", row.where), f"{row.where}.name")
        scene, no_box = (_flag(row.value.get(flag, False), f"{row.where}.{flag}") for flag in ("scene", "no_box"))
        doubted = as_text(row.value.get("doubted", ""), f"{row.where}.doubted")[:LONGEST_DOUBT]
        said[name] = DatasetChain(name, scene=scene, no_box=no_box, doubted=doubted)
    names = dict.fromkeys(mention.chain for mention in mentions if mention.chain is not None)
    return tuple(said.get(name, DatasetChain(name)) for name in names)


def chains_of_box(row: Row, there: Collection[str | None]) -> tuple[str, ...]:
    """Return the names of the box's chains. Raises Defect for one that is not `there`: no phrase names it."""
    where = f"{row.file} {row.where}.chains"
    names = tuple(as_text(one, where) for one in as_list(row.value.get("chains", []), where))
    for name in names:
        if name not in there:
            raise Defect(f"{where}: no phrase of the image is in chain {name!r}")
    return tuple(dict.fromkeys(names))


def _span(value: object, where: str) -> tuple[int, int]:
    rows = as_list(value, f"{where}: tokens_positive")
    edges = as_list(rows[0], f"{where}: tokens_positive") if len(rows) == 1 else []
    if len(edges) != 2 or any(isinstance(edge, bool) or not isinstance(edge, int) for edge in edges):
        raise Defect(f"{where}: tokens_positive is not one pair [from, to) of characters")
    return edges[0], edges[1]


def _types(value: object, where: str) -> tuple[str, ...]:
    types = tuple(as_text(one, f"{where}: types") for one in as_list(member(value, "types", where), f"{where}: types"))
    for type_ in types:
        if type_ not in _TYPES:
            raise Defect(f"{where}: {type_[:40]!r} is not a type of phrases")
    return types


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise Defect(f"{where} is {kind(value)}, not true or false")
    return value
