"""The steps that the page offers, in the words of a requester."""

from dataclasses import dataclass

from evaluation.steps import step_named


@dataclass(frozen=True, slots=True)
class OfferedStep:
    """A step of an evaluation."""

    step: str
    title: str
    words: str
    given: tuple[str, ...] = ()
    """The options that name uploaded files; the first one is required."""
    compares: bool = False
    """Whether it compares two sides of the project."""

    @property
    def reads(self) -> str:
        """The names of the fields of the page that it reads."""
        if self.compares:
            return "scored right"
        boxes = ["boxes"] if self.step == "localization score" else []
        return " ".join([*self.given, *boxes, "name"] if self.given else [])


OFFERED = (
    OfferedStep(
        "localization baselines",
        "Phrase localization: baselines",
        "How many phrases boxes find that need no model: how hard these images are.",
    ),
    OfferedStep(
        "localization score",
        "Phrase localization: a model's boxes",
        "Recall of your model's boxes by type of phrase, with intervals, and the hardest phrases.",
        ("predictions", "against"),
    ),
    OfferedStep(
        "content_selection baselines",
        "Content selection: baselines",
        "Which things people mention: people against each other, and simple ways to choose boxes.",
    ),
    OfferedStep(
        "content_selection score",
        "Content selection: a system's choice",
        "How well your system's sentences or chosen boxes agree with what people mention.",
        ("predictions",),
    ),
    OfferedStep(
        "coreference score",
        "Coreference of chains",
        "MUC, B³, CEAF, BLANC, LEA, CoNLL: the outcome, a program's chains or a worker's links against any other.",
        compares=True,
    ),
    OfferedStep(
        "foil generate",
        "FOIL: captions with one wrong word",
        "Captions of this project with one noun exchanged for another, for models and people to find.",
    ),
)


def offered_step(step: str) -> OfferedStep:
    """Return the step as it is offered; one that only the command offers has its own name and words."""
    found = {offered.step: offered for offered in OFFERED}
    return found.get(step) or OfferedStep(step, step.replace("_", " "), step_named(step).words)
