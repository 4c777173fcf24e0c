"""The work on a corrected set for a page: packed once for each state of the record, and kept like exports."""

import json
from dataclasses import dataclass
from typing import Any

from django.core.files.base import ContentFile, File

from annotation.models import Project
from annotation.storage import store
from exchange.leftovers import workspace
from exchange.problems import SourceError
from exchange.publish_export import FOLDER
from pipeline.jobs import job
from projects.corrected.export_corrected import export_corrected
from projects.data.sources import allowed_folders, check_source, plain_problem, uploaded_source
from projects.predictions.import_predictions import ProgramError
from projects.uploads.files import place_of
from runtime.models import JobRun
from runtime.runs import claimed, request


@dataclass(frozen=True, slots=True)
class CorrectedArchive:
    """The corrected set of a project for one state of its record."""

    project: Project
    state: str

    @property
    def key(self) -> str:
        """Return the name of the work."""
        return f"corrected:{self.project.pk}:{self.state}"

    @property
    def path(self) -> str:
        """Return the name of the set in storage; `told` stands beside it."""
        return f"{FOLDER}/project.{self.project.pk}/corrected-{self.state}.zip"

    def told(self) -> dict[str, Any] | None:
        """Return what became of the work: `said`, sentences, or `problem`; None: it is not done."""
        if not store().exists(f"{self.path}.json"):
            return None
        with store().open(f"{self.path}.json") as file:
            told: dict[str, Any] = json.loads(file.read())
        return told

    def run(self) -> JobRun | None:
        """Return the work, if anybody requested it."""
        return JobRun.objects.filter(key=self.key).first()

    def ask_for(self, source: str) -> JobRun:
        """Request the set of this source; empty: the uploaded files."""
        store().delete(f"{self.path}.json")
        share = f"exports of {self.project.pk}"
        return request(corrected_job, self.project.pk, self.state, source, key=self.key, share=share)


@job(name="projects.corrected")
def corrected_job(project_id: int, state: str, source: str) -> None:
    """Pack the corrected set of a project, and tell what became of it."""
    archive = CorrectedArchive(Project.objects.get(id=project_id), state)
    with claimed(archive.key) as mine:
        if mine and archive.told() is None:
            told = json.dumps(_make(archive, source))
            store().save(f"{archive.path}.json", ContentFile(told.encode()))


def _make(archive: CorrectedArchive, source: str) -> dict[str, Any]:
    path: Any = source
    with workspace() as folder:
        try:
            path = check_source(source) if source else uploaded_source(archive.project)
            if not source:
                place_of(archive.project.pk).bring()
            done = export_corrected(
                project=archive.project,
                source=path,
                target=folder / "corrected.zip",
                within=allowed_folders() if source else None,
            )
        except SourceError as error:
            return {"problem": plain_problem(error, "" if source else path)}
        except ProgramError as error:
            return {"problem": str(error)}
        store().delete(archive.path)
        with (folder / "corrected.zip").open("rb") as file:
            store().save(archive.path, File(file))
        return {"said": done.sentences()}
