"""Two versions of an image in formats of which one says less: compared as far as both can say."""

from dataclasses import replace

from evaluation.reading.picture import Lack, Picture


def alike(before: Picture, after: Picture) -> tuple[Picture, Picture]:
    """Return both without what the format of either has no room for."""
    lacks = before.lacks | after.lacks
    return (_without(before, lacks), _without(after, lacks)) if lacks else (before, after)


def _without(picture: Picture, lacks: frozenset[Lack]) -> Picture:
    captions = []
    for caption in picture.captions:
        phrases = [phrase for phrase in caption.phrases if phrase.chain in picture.boxes or Lack.UNBOXED not in lacks]
        types = 0 if Lack.TYPES in lacks else 1 if Lack.FURTHER_TYPES in lacks else None
        phrases = [replace(phrase, number=place, types=phrase.types[:types]) for place, phrase in enumerate(phrases)]
        if phrases or Lack.UNBOXED not in lacks:  # some formats leave captions without phrases out
            captions.append(replace(caption, phrases=tuple(phrases)))
    return replace(picture, captions=tuple(captions), flags={} if Lack.UNBOXED in lacks else picture.flags)
