"""An image of a source with the labels that a check has made of it, under the source's own names of chains."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from annotation.rules.states import NonVisual
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from exchange.formats.edits import NEW
from exchange.import_image import flags_of, members_of
from pipeline.checking.label import ChainLabel


class Corrections(NamedTuple):
    """The result of a check of an image. Mentions are told by their numbers, which are places in the source's list."""

    labels: Sequence[ChainLabel]
    """The labels that take the place of all labels that share a mention with one of them, or with `gone`."""
    mentions: Mapping[int, DatasetMention]
    """The mentions of `labels` as they are now; their chains are passed over."""
    gone: frozenset[int] = frozenset()
    """Mentions that are phrases no longer."""


def corrected_image(image: DatasetImage, corrections: Corrections) -> DatasetImage:
    """Return the image with the corrected labels. A chain keeps the name of the one of which it has most mentions."""
    names = _names(image, corrections.labels)
    chain_of = {number: name for name, label in names.items() for number in label.mentions}
    touched = {*chain_of, *corrections.gone}
    old = {
        mention.chain
        for number, mention in enumerate(image.mentions)
        if number in touched and mention.chain is not None
    }
    stay = [
        replace(corrections.mentions[number], chain=chain_of[number]) if number in chain_of else mention
        for number, mention in enumerate(image.mentions)
        if number not in corrections.gone
    ]
    added = [replace(corrections.mentions[one], chain=chain_of[one]) for one in chain_of if one >= len(image.mentions)]
    mentions = sorted([*stay, *added], key=lambda one: (one.caption, one.start))
    chains = {chain.name: chain for chain in image.chains if chain.name not in old or chain.name in names}
    flags, boxed = flags_of(image), {name for box in image.boxes for name in box.chains}
    said = {chain: "" if chain in boxed else flags.get(chain, "") for chain in chains}
    for name, label in names.items():
        if said.get(name) != label.flag:  # a source may set both flags of a chain, or one of a chain with boxes
            scene, no_box = (label.flag == flag.value for flag in (NonVisual.SCENE, NonVisual.NO_BOX))
            chains[name] = DatasetChain(name, scene=scene, no_box=no_box)
    order = dict.fromkeys(mention.chain for mention in mentions if mention.chain is not None)
    return replace(
        image,
        mentions=tuple(mentions),
        chains=tuple(chains[name] for name in order if name in chains),
        boxes=tuple(_boxes(image.boxes, old, names)),
    )


def _names(image: DatasetImage, labels: Sequence[ChainLabel]) -> dict[str, ChainLabel]:
    """Return the labels by name: that of the source's chain with which they share most, each once, else a new one."""
    shared = [
        (-len(common), name, place)
        for name, numbers in members_of(image).items()
        for place, label in enumerate(labels)
        if (common := set(numbers).intersection(label.mentions))
    ]
    found: dict[int, str] = {}
    for _, name, place in sorted(shared, key=lambda one: (one[0], labels[one[2]].mentions)):
        if place not in found and name not in found.values():
            found[place] = name
    return {found.get(place, f"{NEW}{place}"): label for place, label in enumerate(labels)}


def _boxes(boxes: Iterable[DatasetBox], old: set[str], names: Mapping[str, ChainLabel]) -> list[DatasetBox]:
    """Return the boxes in their order, with new ones behind; those that have lost their last chain go."""
    wanted = [(box, name) for name, label in names.items() for box in label.boxes]
    left = dict.fromkeys(wanted)
    found: list[DatasetBox] = []
    for one in boxes:
        own = [name for name in one.chains if name not in old or left.pop((one.box, name), 0) is None]
        if own or not one.chains:
            found.append(replace(one, chains=tuple(own)))
        elif any(box == one.box for box, _ in wanted):
            found.append(replace(one, chains=()))  # another chain takes it over
    for box, name in left:
        place = next((place for place, one in enumerate(found) if one.box == box and not one.category), None)
        if place is None:
            found.append(DatasetBox(box, (name,)))
        else:
            found[place] = replace(found[place], chains=(*found[place].chains, name))
    return [one for one in found if one.chains or one.category]
