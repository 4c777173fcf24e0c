"""Ask the items that a requester gave to a survey, with their pictures."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annotation.models import Project
from campaign.data.sources import UPLOADED, plain_problem, uploaded_source
from campaign.data.uploads import files_folder, remove
from campaign.data.watch import RunWatch
from campaign.long_work import CannotBeDone
from campaign.models import ImportRun, ItemsFile
from exchange.leftovers import workspace
from exchange.picture_files import is_picture
from exchange.problems import SourceError, source_error
from exchange.unpack import unpacked
from members.borrow_pictures import borrow_pictures
from pipeline.project.settings_versions import current_settings
from pipeline.rules.tasks.task import Task
from surveys.ask_items import ask_items, plan_items
from surveys.errors import SurveyError
from surveys.pictures import FolderOfPictures, Pictures, PicturesOfProject
from surveys.read_items import read_items


def ask_given(run: ImportRun, watch: RunWatch) -> None:
    """Check the pictures, and write what the waiting file asks. Raises CannotBeDone."""
    given = ItemsFile.objects.select_related("source").filter(project=run.project).first()
    if given is None:
        raise CannotBeDone("The file of items is gone: give it again.")
    with workspace() as folder:
        path = folder / "items.jsonl"
        path.write_bytes(given.text.encode())
        try:
            _ask(run, given, path, watch)
        except SurveyError as error:
            raise CannotBeDone(str(error).replace(str(path), given.name)) from error
        except SourceError as error:
            raise CannotBeDone(plain_problem(error, "")) from error
    given.delete()
    if given.source is None:
        remove(run.project)


def _ask(run: ImportRun, given: ItemsFile, path: Path, watch: RunWatch) -> None:
    project, task = run.project, Task(run.project.survey)
    settings = current_settings(project.pk)[1]
    tests = {"test_questions": settings.test_questions, "tests": settings.tests}
    plan = plan_items(project, read_items(path, task), known=given.known, seed=given.seed, **tests)
    if given.source is not None:
        borrow_pictures(project, given.source)
    with pictures_of(project, given.source) as pictures:
        watch.begin(len(plan.images) + plan.steps)
        pictures.check(plan.images, lambda: watch.step(changed=False))
        asked = ask_items(project, task, plan, pictures, lambda: watch.step(changed=False))
    watch.images, watch.report.already_there = asked.questions, asked.there


@contextmanager
def pictures_of(project: Project, source: Project | None) -> Iterator[Pictures]:
    """Yield the pictures: of the project `source`, or the uploaded ones. Raises SourceError and SurveyError."""
    if source is not None:
        yield PicturesOfProject(source)
        return
    if not files_folder(project.pk).is_dir():
        raise SurveyError("The pictures are missing: upload them first.")
    with unpacked(uploaded_source(project)) as root:
        folder = _folder_with_pictures(root)
        try:
            yield FolderOfPictures(folder)
        except SurveyError as error:
            # Whoever uploaded them does not know the folders of the server.
            plain = str(error).replace(f"the folder {folder}", UPLOADED).replace(f"{folder}/", "")
            raise SurveyError(plain) from error


def _folder_with_pictures(root: Path) -> Path:
    """Return the one folder that holds the pictures. Raises SourceError if they lie in several."""
    folders = sorted({path.parent for path in root.rglob("*") if is_picture(path.name)})
    if len(folders) > 1:
        names = ", ".join(str(one.relative_to(root)) for one in folders[:3])
        raise source_error(UPLOADED, f"have pictures in several folders ({names}): put them into one")
    return folders[0] if folders else root
