"""Ways in which each operation that changes something is tried: an input that is done, and inputs that are refused."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User

from annotation.models import Project
from annotation.rules.states import ProjectState
from exchange.import_image import import_image
from pipeline.models import Entry
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.settings import Settings
from projects.data.phrase_operations import MarkedWords, mark_phrase
from projects.models import (
    Alert,
    AlertChannel,
    Delivery,
    GoldAnnotation,
    GoldImage,
    ItemsFile,
    ModelPrediction,
    Run,
)
from projects.operation import COMMAND_LINE
from projects.uploads.files import keep_text
from runtime import clock
from runtime.models import JobRun
from tests.support.projects import phrases, project_of
from tests.support.runs import some_run
from workers.invitations import grant_access
from workers.models import Worker
from workers.tokens import make_api_key

Values = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """The way in which an operation is tried."""

    values: Values
    """An input that is done."""
    after: Callable[[Project], Any]
    """Returns what can be seen of the project after it."""
    expected: Any
    page: str = ""
    """The name of the address of its page; empty: no page sends it."""
    prepare: Callable[[Project], object] = lambda project: None
    wrong: tuple[tuple[Values, str], ...] = ()
    """Inputs that are refused, each with a part of the sentence."""
    refused: tuple[tuple[Callable[[Project], object], str], ...] = ()
    """Ways to make a project that refuses the first input, each with a part of the sentence."""
    prefix: str = ""
    """Of the names of the fields on the page."""
    by_command: str = ""
    """The reason why the command is tried elsewhere; empty: it is tried here."""
    in_address: tuple[str, ...] = ()
    """The fields that the address of the page names."""
    at: tuple[str, ...] = ()
    """The first parts of the address of the page after the project."""
    as_row: str = ""
    """The field that the page sends as a chosen row."""
    as_file: str = ""
    """The field whose rows page and command take as a file of JSON lines."""
    more: Values = field(default_factory=dict)
    """Values that the page sends besides."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The fields that name a row by its number."""
        return (*self.in_address, *filter(None, [self.as_row]))


def in_state(state: ProjectState) -> Callable[[Project], object]:
    return lambda project: Project.objects.filter(pk=project.pk).update(state=state.value)


def begin_another(project: Project) -> None:
    some_run(project, "begin_forecast")


def predicted(project: Project) -> None:
    """Give a program a prediction in the project."""
    net = Worker.objects.create(name="net", kind=Worker.Kind.PROGRAM)
    image = project.images.first()
    assert image is not None
    ModelPrediction.objects.create(project=project, image=image, program=net, boxes={}, chains=[], made_by="rita")


def with_a_key(project: Project) -> None:
    """Give a program a key for the project, whose boxes are asked by belief."""
    change_settings(project_id=project.pk, settings=Settings(box_policy=BoxPolicyName.BELIEF))
    net = Worker.objects.create(name="net", kind=Worker.Kind.PROGRAM)
    grant_access(net, project.pk, ["box_quality"])
    make_api_key(net)


def without_belief(project: Project) -> None:
    with_a_key(project)
    change_settings(project_id=project.pk, settings=Settings())


def upload(project: Project) -> None:
    keep_text(project, "captions.csv", "image,caption\na.jpg,[a man]\n")


def import_another(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(state="running")
    some_run(project)


def upload_while_another_runs(project: Project) -> None:
    upload(project)
    import_another(project)


def name_of_a_person(project: Project) -> None:
    Worker.objects.create(name="net")


def measure_another(project: Project) -> None:
    predicted(project)
    some_run(project, "begin_measurement")


def add_webhook(project: Project) -> AlertChannel:
    return AlertChannel.objects.create(project=project, kind="hook", url="https://example.org/", secret="x", kinds=[])


def into_mailbox(project: Project) -> None:
    project.alert_channels.all().delete()
    AlertChannel.objects.create(project=project, kind="mail", user=User.objects.get(username="rita"), kinds=[])


def give_up_a_delivery(project: Project) -> None:
    alert = Alert.objects.create(project=project, kind="review", count=1, words="", path="/", began_at=clock.now())
    Delivery.objects.create(alert=alert, channel=add_webhook(project), state="failed", due_at=clock.now())


def deliver(project: Project) -> None:
    give_up_a_delivery(project)
    Delivery.objects.update(state="sent")


def sample_an_image(project: Project) -> None:
    GoldImage.objects.create(image=project.images.order_by("pk")[0], place=0, annotators=1)


def make_draft(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(state="draft")


def import_another_image(project: Project) -> None:
    """Import an image that nobody has begun."""
    version, _ = current_settings(project.pk)
    image = phrases("animals: a red dog", name="2")
    import_image(project, project.images.count(), image, picture="", gold=False, settings_version=version)


def mark_a_phrase(project: Project) -> None:
    import_another_image(project)
    marked = MarkedWords(image=project.images.latest("pk").pk, caption=0, start=0, end=2)
    mark_phrase(project, marked, COMMAND_LINE)


def phrases_of_the_newest(project: Project) -> list[str]:
    return list(project.images.latest("pk").mentions.values_list("text", flat=True))


def evaluate_another(project: Project) -> None:
    project.images.update(state="merged")
    some_run(project, "begin_evaluation")


def apply_another(project: Project) -> None:
    make_draft(project)
    some_run(project, "apply_types")


def make_scratch(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(dry_run=True)


def check_uploaded(project: Project) -> None:
    """Let the project check a data set, whose files are uploaded."""
    upload(project)
    source = Worker.objects.create(name="the set", kind=Worker.Kind.PROGRAM)
    change_settings(project_id=project.pk, settings=Settings(reference_set=source.pk))


def correct_another(project: Project) -> None:
    check_uploaded(project)
    some_run(project, "make_corrected_set")


def wait_with_items(project: Project) -> None:
    """Make a survey whose file of items waits for its import."""
    Project.objects.filter(pk=project.pk).update(survey="caption_check")
    ItemsFile.objects.create(project=project, name="items.jsonl", text="{}", items=1)


def runs_of(operation: str, *names: str) -> Callable[[Project], Any]:
    """Return a function that returns the states of the runs of an operation, with values of their input."""
    return lambda project: [
        (run.state, *(run.input[name] for name in names)) for run in Run.objects.filter(operation=operation)
    ]


def last_forecast(project: Project) -> Any:
    names = ("crowd", *FORECAST)
    run = project.runs.first()
    return None if run is None else {"state": run.state, **{name: run.input[name] for name in names}}


PREDICTED = {"image": "1", "caption": 0, "phrase": "a dog", "boxes": [[1, 2, 30, 40.5]]}
FORECAST = {"workers": 8, "trusted": 2, "assume_program": True, "program_errors": 5, "good_percent": 70}
FORECAST |= {"sample": 2, "repetitions": 2}
CASES = {
    "create_project": Case(
        values={"title": "Streets of 2026", "language": "de"},
        after=lambda _: list(Project.objects.exclude(name="ours").values_list("name", "title", "state")),
        expected=[("streets-of-2026", "Streets of 2026", "draft")],
        page="projects:new",
        wrong=(
            ({"title": "x" * 201}, "should have at most 200 characters"),
            ({"title": "A", "language": "?"}, "should match pattern"),
            ({"title": "東京", "language": "en"}, "The title has no letters that a name could be made of"),
        ),
        refused=((lambda _: project_of(name="streets-of-2026"), "There is a project 'streets-of-2026' already"),),
    ),
    "move_project": Case(
        values={"state": "paused"},
        after=lambda project: Project.objects.get(pk=project.pk).state,
        expected="paused",
        page="projects:state",
        wrong=(({"state": "gone"}, "'gone' should be 'draft', 'running', 'paused', 'finished' or 'archived'"),),
        refused=(
            (in_state(ProjectState.FINISHED), "A finished project cannot become paused"),
            (in_state(ProjectState.ARCHIVED), "A archived project cannot become paused"),
        ),
    ),
    "change_data_card": Case(
        values={"license": "CC-BY-4.0", "uses": "Research."},
        after=lambda project: Project.objects.get(pk=project.pk).data_card,
        expected={"license": "CC-BY-4.0", "uses": "Research."},
        page="projects:card",
        prefix="card-",
        wrong=(
            ({"license": "x" * 301}, "should have at most 300 characters"),
            ({"url": "our page"}, "give an address that begins with http:// or https://"),
        ),
    ),
    "begin_forecast": Case(
        values=FORECAST,
        after=last_forecast,
        expected={"state": "waiting", "crowd": "paper", **FORECAST},
        page="projects:predict",
        wrong=(
            ({"workers": 0}, "0 should be greater than or equal to 1"),
            ({"bad_percent": 95}, "95 should be less than or equal to 90"),
            ({"workers": 3, "trusted": 4}, "Only 3 workers begin: trust that many at most"),
        ),
        refused=((begin_another, "is being made already"),),
        by_command="it simulates until the forecast is done",
    ),
    "begin_measurement": Case(
        values={"program": "net"},
        prepare=predicted,
        after=runs_of("begin_measurement", "program"),
        expected=[("waiting", "net")],
        page="projects:measure",
        wrong=(({"program": "nobody"}, "This program has predicted nothing in this project"),),
        refused=((measure_another, "is being made already"),),
        by_command="it simulates until the measurement is done",
    ),
}
CASES["let_judge"] = Case(
    values={"program": "net"},
    prepare=with_a_key,
    after=lambda project: len(current_settings(project.pk)[1].model_annotators),
    expected=1,
    page="projects:judge",
    wrong=(({"program": "nobody"}, "No such program has a key for this project."),),
    refused=((without_belief, "Programs judge adaptive links and boxes under belief"),),
)
CASES["note_price"] = Case(
    values={"program": "net", "price": 0.4},
    prepare=with_a_key,
    after=lambda project: list(current_settings(project.pk)[1].program_cost_cents.values()),
    expected=[40],
    page="projects:judge",
    more={"action": "price"},
    wrong=(
        ({"program": "net", "price": -1.0}, "should be an amount from 0 to 1,000, such as 0.40"),
        ({"program": "net", "price": 0.125}, "should be an amount from 0 to 1,000, such as 0.40"),
    ),
)
CASES["name_family"] = Case(
    values={"program": "net", "family": "nets"},
    prepare=with_a_key,
    after=lambda project: list(current_settings(project.pk)[1].model_families.values()),
    expected=["nets"],
    page="projects:judge",
    more={"action": "family"},
    wrong=(({"program": "net", "family": "x" * 41}, "should have at most 40 characters"),),
)
CASES["begin_import"] = Case(
    values={"use": "gold", "boxes": "pixels"},
    prepare=upload,
    after=runs_of("begin_import", "use", "boxes"),
    expected=[("waiting", "gold", "pixels")],
    page="projects:import",
    by_command="import_dataset imports by command",
    wrong=(
        ({"use": "everything"}, "'everything' should be one of"),
        ({"source": "photos"}, "is not a source: write a whole path"),
        ({"use": "check", "program": "x" * 101}, "should have at most 100 characters"),
    ),
    refused=(
        (in_state(ProjectState.FINISHED), "The project is finished: reopen it before more images come in"),
        (upload_while_another_runs, "Another import of this project has not ended yet"),
    ),
)
CASES["steer_run"] = Case(
    values={"run": 0, "command": "pause"},
    prepare=import_another,
    after=runs_of("begin_import"),
    expected=[("paused",)],
    page="projects:steer_run",
    in_address=("run",),
    wrong=(({"command": "stop"}, "should be 'pause', 'resume' or 'cancel'"),),
)
CASES["begin_evaluation"] = Case(
    values={"step": "localization baselines"},
    after=runs_of("begin_evaluation", "step"),
    expected=[("waiting", "localization baselines")],
    page="projects:evaluate",
    by_command="it does the work at once",
    wrong=(
        ({"step": "coreference score"}, "Choose one."),
        ({"step": "coreference score", "scored": "outcome", "right": "outcome"}, "Choose another one"),
        ({"step": "localization score"}, "Choose the file that is to be scored."),
    ),
    refused=((evaluate_another, "is being made already"),),
)
CASES["apply_types"] = Case(
    values={},
    prepare=make_draft,
    after=runs_of("apply_types"),
    expected=[("waiting",)],
    page="projects:types",
    by_command="it does the work at once",
    refused=(
        (in_state(ProjectState.RUNNING), "Workers have begun: change phrases on the pages of their images."),
        (apply_another, "Another import of this project has not ended yet"),
    ),
)
CASES["copy_project"] = Case(
    values={"title": "A copy", "images": True},
    after=lambda _: [(run.project.name, run.state) for run in Run.objects.filter(operation="copy_project")],
    expected=[("a-copy", "waiting")],
    page="projects:copy",
    by_command="it does the work at once",
    wrong=(({"title": "x" * 201}, "200 characters"), ({"title": "?"}, "The title has no letters")),
    refused=((lambda _: project_of(name="a-copy"), "There is a project 'a-copy' already"),),
)
CASES["dry_run"] = Case(
    values={},
    after=lambda _: [(run.project.name, run.state) for run in Run.objects.filter(operation="dry_run")],
    expected=[("ours-dry-run", "waiting")],
    page="projects:dry_run",
    by_command="it simulates until the dry run is done",
    refused=((make_scratch, "This is a dry run already: make one of the project itself."),),
)
CASES["delete_dry_run"] = Case(
    values={},
    prepare=make_scratch,
    after=lambda _: Project.objects.exists(),
    expected=False,
    page="projects:delete_dry_run",
    refused=((lambda project: Project.objects.update(dry_run=False), "This project is not a dry run"),),
)
CASES["make_corrected_set"] = Case(
    values={"pictures": True},
    prepare=check_uploaded,
    after=runs_of("make_corrected_set", "source", "pictures"),
    expected=[("waiting", "", True)],
    page="projects:corrected",
    by_command="it does the work at once",
    refused=((correct_another, "is being made already"),),
)
CASES["change_settings"] = Case(
    values={"values": {"lease_minutes": 20}, "reason": "Shorter leases.", "based_on": 1},
    after=lambda project: (current_settings(project.pk)[0], current_settings(project.pk)[1].lease_minutes),
    expected=(2, 20),
    as_file="values",
    wrong=(
        ({"values": {"wheels": 1}, "reason": "More.", "based_on": 1}, "Unknown settings: wheels"),
        ({"values": {}, "reason": "None.", "based_on": 1}, "nothing would change"),
        ({"values": {"lease_minutes": 20}, "reason": " ", "based_on": 1}, "should have at least 1 character"),
    ),
    refused=(
        (
            lambda project: change_settings(project_id=project.pk, settings=Settings(lease_minutes=30)),
            "in the meantime",
        ),
    ),
)
CASES["make_export"] = Case(
    values={"format": "coco", "include_unmerged": True},
    after=lambda project: sorted(project.selections.values_list("include_unmerged", "options__min_confidence")),
    expected=[(True, 0.0)],
    page="projects:make_export",
    by_command="export_dataset writes into a folder of the server",
    wrong=(
        ({"format": "coco", "min_confidence": 2}, "should be less than or equal to 1"),
        ({"format": "coco", "shares": "train=0.5"}, "The shares add up to 0.5, not to 1"),
    ),
)
CASES["import_items"] = Case(
    values={},
    prepare=wait_with_items,
    after=runs_of("import_items", "source"),
    expected=[("waiting", "")],
    page="projects:items",
    by_command="it does the work at once",
    more={"action": "import"},
)
CASES["send_predictions"] = Case(
    values={"program": "net", "predictions": [PREDICTED]},
    page="projects:models",
    after=lambda project: list(project.model_predictions.values_list("program__name", "boxes")),
    expected=[("net", [[0, 1, 2, 30, 41]])],
    wrong=(
        ({"program": "x" * 101, "predictions": [PREDICTED]}, "should have at most 100 characters"),
        ({"program": "net", "predictions": [PREDICTED], "boxes": "odd"}, "'odd' should be one of"),
        ({"program": "net", "predictions": [{**PREDICTED, "boxes": [["left", 2, 3, 4]]}]}, "left"),
    ),
    refused=((name_of_a_person, "'net' is the name of a worker who is not a program"),),
    as_file="predictions",
)
CASES["make_webhook"] = Case(
    values={"url": "https://example.org/x"},
    after=lambda project: list(project.alert_channels.values_list("url", flat=True)),
    expected=["https://example.org/x"],
    page="projects:alerts",
    wrong=(
        ({"url": "ftp://example.org/"}, "must begin with https"),
        ({"url": "https://me@example.org/"}, "no user name and no password"),
    ),
)
CASES["mail_alerts"] = Case(
    values={"member": "rita"},
    prepare=lambda project: User.objects.filter(username="rita").update(email="rita@example.org"),
    after=lambda project: list(project.alert_channels.values_list("user__username", flat=True)),
    expected=["rita"],
    page="projects:alerts",
    more={"add": "mail"},
    wrong=(({"member": "nobody"}, "no requester of the project with an e-mail address"),),
)
CASES["change_alert_channel"] = Case(
    values={"channel": 0, "kinds": ["budget"]},
    prepare=add_webhook,
    after=lambda project: project.alert_channels.get().kinds,
    expected=["budget"],
    page="projects:alert_channel",
    in_address=("channel",),
    wrong=(({"kinds": ["weather"]}, "'weather' should be one of"),),
)
CASES["delete_alert_channel"] = Case(
    values={"channel": 0},
    prepare=add_webhook,
    after=lambda project: project.alert_channels.count(),
    expected=0,
    page="projects:alert_channel",
    in_address=("channel",),
    more={"delete": "1"},
)
CASES["try_webhook"] = Case(
    values={"channel": 0},
    prepare=add_webhook,
    after=lambda project: JobRun.objects.count(),
    expected=1,
    page="projects:alert_channel",
    in_address=("channel",),
    more={"test": "1"},
    refused=((into_mailbox, "This is a mailbox: only webhooks are tested."),),
)
CASES["send_again"] = Case(
    values={"delivery": 0},
    prepare=give_up_a_delivery,
    after=lambda project: Delivery.objects.get().state,
    expected="due",
    page="projects:send_again",
    in_address=("delivery",),
    refused=((deliver, "It was taken already."),),
)

CASES["annotate_image"] = Case(
    values={"image": "1", "chains": [{"phrases": [[at, 0, 2]], "non_visual": "scene"} for at in (0, 1)]},
    after=lambda project: list(GoldAnnotation.objects.values_list("user__username", flat=True)),
    expected=["rita"],
    by_command="the command gold takes it from a file",
    wrong=(({"image": "nowhere", "chains": []}, "There is no image 'nowhere'"),),
)
CASES["draw_images"] = Case(
    values={"count": 1},
    after=lambda project: GoldImage.objects.count(),
    expected=1,
    wrong=(({"count": 0}, "should be greater than or equal to 1"),),
)
CASES["remove_from_sample"] = Case(
    values={"image": 0},
    prepare=sample_an_image,
    after=lambda project: GoldImage.objects.count(),
    expected=0,
    page="projects:gold_remove",
    in_address=("image",),
)
CASES["save_gold_annotation"] = Case(
    values={"image": 0, "chains": [{"mentions": [0, 1], "non_visual": "scene"}], "revision": 0, "finish": True},
    prepare=sample_an_image,
    after=lambda project: list(GoldAnnotation.objects.values_list("user__username", "revision")),
    expected=[("rita", 1)],
    by_command="the command gold takes annotations from a file",
    wrong=(
        ({"chains": [], "revision": 0}, "Each phrase must be in exactly one chain"),
        ({"chains": [], "revision": 4}, "was saved from another window in the meantime"),
        ({"chains": [{"mentions": [0], "boxes": [[1, 2]]}], "revision": 0}, "should have at least 4 items"),
    ),
)
CASES["act_on_image"] = Case(
    values={"image": 0, "action": {"action": "retype", "mention": 0, "types": ["people"]}, "sequence": 1},
    after=lambda project: list(Entry.objects.filter(kind="expert").values_list("data__types", "actor")),
    expected=[(["people"], "rita")],
    by_command="it takes an act with parts of its own, as programs and the workbench send",
    wrong=(
        ({"sequence": 0}, "Give an action, or undo with the number of an entry"),
        ({"action": {"action": "sing"}, "sequence": 0}, "There is no action"),
        ({"action": {"action": "retype", "mention": 0, "types": ["people"]}, "sequence": 9}, "The image changed"),
    ),
)
CASES["change_type"] = Case(
    values={"words": ["a", "zorble"], "type": "vehicles"},
    prepare=make_draft,
    after=lambda project: current_settings(project.pk)[1].dictionaries,
    expected={"add": {"vehicles": ["zorble"]}, "remove": {}},
    wrong=(
        ({"words": ["a", "zorble"], "type": "planets"}, "'planets' should be"),
        ({"words": ["red", "and", "black"], "type": "animals"}, "No word of “red and black” can be listed"),
    ),
    refused=((in_state(ProjectState.RUNNING), "Only a draft's word lists are changed here."),),
)
CASES["mark_phrase"] = Case(
    values={"image": 0, "caption": 0, "start": 0, "end": 2},
    prepare=import_another_image,
    after=phrases_of_the_newest,
    expected=["a red"],
    wrong=(
        ({"image": 0, "caption": 0, "start": 0, "end": 3}, "Nothing would change."),
        ({"image": 0, "caption": 0, "start": 0, "end": 4}, "The caption has no such words."),
        ({"image": 0, "caption": 1, "start": 0, "end": 1}, "The caption has no such words."),
    ),
    refused=((make_draft, "The work on this image has begun"),),
)
CASES["undo_phrase_edit"] = Case(
    values={},
    prepare=mark_a_phrase,
    after=phrases_of_the_newest,
    expected=["a red dog"],
    refused=((make_draft, "There is no change of phrases to undo."),),
)
