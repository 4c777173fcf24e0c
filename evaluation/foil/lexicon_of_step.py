"""The lexicon that a step reads items by."""

from evaluation.foil.making.lexicon import COCO_WORDS, Lexicon, read_lexicon
from evaluation.work import Work


def lexicon_of_step(work: Work) -> Lexicon:
    """Return the lexicon of `--lexicon`; without it that of COCO."""
    return read_lexicon(work.file("lexicon") or COCO_WORDS)
