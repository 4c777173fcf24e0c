"""Foils as negatives: captions that the majority called wrong, each with the word that most of them named."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from annotation.models import Image, Project
from exchange.chunk_captions import trimmed
from exchange.dataset import DatasetCaption, DatasetImage, NegativePhrase
from exchange.split_captions import tokenized_caption
from pipeline.protocol.tasks.survey import CaptionVerdict, tokens
from surveys.votes import QuestionVotes, tallies_of


def foils_of(project: Project) -> Iterator[DatasetImage]:
    """Yield the images of a caption check with the captions that were called wrong, as data sets have them."""
    wrong: dict[int, list[QuestionVotes]] = defaultdict(list)
    for question in tallies_of(project):
        if question.outcome == CaptionVerdict.WRONG:
            wrong[question.image].append(question)
    for image in project.images.filter(pk__in=wrong).order_by("position"):
        yield _with_foils(image, wrong[image.pk])


def _with_foils(image: Image, questions: Sequence[QuestionVotes]) -> DatasetImage:
    captions: list[DatasetCaption] = []
    negatives: list[NegativePhrase] = []
    for number, question in enumerate(questions):
        words = tokens(question.shown["caption"])
        captions.append(tokenized_caption(" ".join(words)))
        places = Counter(answer["word"] for _, answer in question.votes if answer.get("word") is not None)
        place = places.most_common(1)[0][0]
        first = len(" ".join([*words[:place], ""]))
        own = [at for at, offset in enumerate(captions[-1].offsets) if first <= offset < first + len(words[place])]
        spans = trimmed(captions[-1].words, [(own[0], own[-1] + 1)] if own else [])
        negatives += [NegativePhrase(number, *span) for span in spans]
    return DatasetImage(
        image.name,
        image.width,
        image.height,
        tuple(captions),
        negatives=tuple(negatives),
        path=image.path,
        coco_id=image.coco_id,
        picture=image.picture or None,
    )
