"""Give types to the phrases of an image that came without."""

from dataclasses import replace

from annotation.rules.dictionaries import Dictionaries, types_of
from annotation.rules.mention import is_mention
from exchange.dataset import DatasetCaption, DatasetImage


def with_types(image: DatasetImage, dictionaries: Dictionaries) -> DatasetImage:
    """Add types where the source has none. Phrases that are not mentions become non-visual, unless annotated."""
    mentions, captions = [], list(image.captions)
    for mention in image.mentions:
        words = captions[mention.caption].words[mention.start : mention.end]
        given = mention.chain is not None or mention.types
        lists = dictionaries.words
        if not given and not is_mention(words, pronouns=lists["pronouns"], non_visual=lists["non visual"]):
            captions[mention.caption] = _hide(captions[mention.caption], (mention.start, mention.end))
            continue
        types = mention.types or tuple(kind.value for kind in types_of(words, dictionaries))
        mentions.append(replace(mention, types=types))
    return replace(image, mentions=tuple(mentions), captions=tuple(captions))


def _hide(caption: DatasetCaption, span: tuple[int, int]) -> DatasetCaption:
    return replace(caption, non_visual=tuple(sorted((*caption.non_visual, span))))
