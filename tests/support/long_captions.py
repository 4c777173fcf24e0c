"""A project in which each of the six tasks is open about a picture with five captions of ordinary length."""

from annotation.models import Project
from exchange.dataset import DatasetImage, DatasetMention
from exchange.words import joined_caption
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.pictures import encoded
from tests.support.projects import HEIGHT, WIDTH, answer, box, project_of, worker
from tests.support.six_tasks import ground, show

CAPTIONS = (
    "[an old man in a red coat] walks along the beach with his two dogs on a cloudy day in autumn .",
    "[the elderly person] throws a stick into the waves while a small child watches from the dunes .",
    "[a man with a grey beard] enjoys the wind at the sea, far away from the noise of the town .",
    "Somebody has come to the shore early in the morning: [a fisherman] who looks for driftwood .",
    "[he] and everyone behind him wait for the rain to end, since nobody has brought an umbrella .",
)
HEBREW = (
    "[איש זקן במעיל אדום] הולך לאורך החוף עם שני כלבים .",
    "הילדה הקטנה רואה את [האיש עם הזקן] ליד הים .",
)
DRAWN, LINKED = "people", "animals"


def said(name: str, *texts: str, kind: str = DRAWN) -> DatasetImage:
    """Make an image with these captions. Words in brackets are a mention of this type."""
    captions, mentions = [], []
    for number, text in enumerate(texts):
        words: list[str] = []
        start = end = None
        for word in text.split():
            if word.startswith("["):
                start = len(words)
            words.append(word.strip("[]"))
            if word.endswith("]"):
                end = len(words)
        captions.append(joined_caption(tuple(words)))
        if start is not None and end is not None:
            mentions.append(DatasetMention(number, start, end, (kind,), None))
    return DatasetImage(name, WIDTH, HEIGHT, tuple(captions), tuple(mentions), (), ())


def without_marks(*texts: str) -> tuple[str, ...]:
    """Return the first caption as it is, and the others without a mention."""
    return (texts[0], *(text.replace("[", "").replace("]", "") for text in texts[1:]))


def long_captions(settings: ProtocolSettings | None = None, captions: tuple[str, ...] = CAPTIONS) -> Project:
    """Make the project. bob and eve have answered enough for all six tasks to be open to everybody else."""
    once = without_marks(*captions)
    project = project_of(
        *(said(name, *once) for name in ("coverage", "quality", "drawing")),
        said("requirement", *once, kind="other"),
        *(said(name, *captions, kind=LINKED) for name in ("verification", "link")),
        settings=settings,
    )
    bob, eve = worker(project, "bob"), worker(project, "eve")
    answer(project, bob, Task.BOX_DRAWING, box(20, 20, 90, 90), box(30, 10, 80, 95))
    answer(project, eve, Task.BOX_QUALITY, "good")
    while not project.questions.filter(task=Task.CHAIN_VERIFICATION.value).exists():
        answer(project, bob, Task.COREFERENCE_LINK, "same")
    show(project, encoded(ground(200, 100), "JPEG"))
    return project
