"""The words for the tasks that workers see, marked for translation: a name and a question each."""

from django.utils.translation import gettext_noop

from pipeline.protocol.tasks.task import Task

TASK_WORDS = {
    Task.COREFERENCE_LINK: gettext_noop("Two captions of one picture: do the marked phrases mean the same thing?"),
    Task.CHAIN_VERIFICATION: gettext_noop("Do all marked phrases mean the same thing?"),
    Task.BOX_REQUIREMENT: gettext_noop("Can you draw a box around what the phrase means?"),
    Task.BOX_DRAWING: gettext_noop("Draw a box around one thing that the phrase means."),
    Task.BOX_QUALITY: gettext_noop("Is the new box good?"),
    Task.BOX_COVERAGE: gettext_noop("Does everything that the phrase means have a box?"),
    Task.CAPTION_CHECK: gettext_noop("Does every word of a caption fit its picture?"),
    Task.ATOM_VISUAL: gettext_noop("Can what a word means be seen in a picture?"),
}
TASK_LABELS = (
    gettext_noop("coreference link"),
    gettext_noop("chain verification"),
    gettext_noop("box requirement"),
    gettext_noop("box drawing"),
    gettext_noop("box quality"),
    gettext_noop("box coverage"),
    gettext_noop("caption check"),
    gettext_noop("atom visual"),
)
"""`Task.label` of each."""
