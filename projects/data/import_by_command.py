"""Import by a command: with the refusals and the record of an import from a page, in the command's own process."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.contrib.auth.models import User

from annotation.models import Project
from exchange.import_dataset import Progress, StrictImportError, import_dataset
from exchange.import_report import ImportReport, source_in_words
from exchange.problems import SourceError
from projects.data.runs import begin, let_import
from projects.data.watch import RunWatch
from projects.long_work import CannotBeDone, Stopped, by_command, end_those_of_killed_commands
from projects.models import ImportRun, KnownUse
from projects.models.long_work import Wanted
from projects.predictions.enter_predictions import enter_predictions
from projects.predictions.import_predictions import ProgramError
from projects.predictions.use_import import UseOfImport


class ImportByCommand:
    """One import. A missing project is made once the source can be read, and the run with it.

    Raises BusyError and ProgramError as `let_import`.
    """

    def __init__(self, name: str, source: str, use: KnownUse, program: str, user: User | None) -> None:
        self._name, self._source, self._user = name, source, user
        self._project = Project.objects.filter(name=name).first()
        self._program = let_import(self._project, use, program, source, name)
        self._use = UseOfImport(use, self._program, by=user.get_username() if user else "")
        self._kind = use
        self._watch: RunWatch | None = None
        self.report = ImportReport()
        self.told = ""
        """Sentences on what became of everything."""

    def work(self, progress: Progress, **options: Any) -> None:
        """Import. `options`: further ones of `import_dataset`.

        Raises CannotBeDone for a source that is refused, Stopped if somebody wants that, and what `import_dataset`
        raises besides. Images that were imported stay.
        """
        with ExitStack() as stack:

            def begun(project: Project) -> None:
                if self._watch is None:
                    self._project = project
                    self._watch = stack.enter_context(self._recorded(project))

            if self._project is not None:
                begun(self._project)
            try:
                import_dataset(
                    project_name=self._name,
                    path=self._source,
                    gold=self._use.gold,
                    propose=self._use.propose,
                    labelled=self._use.labelled,
                    report=self.report,
                    begun=begun,
                    progress=lambda images, total: self._through(progress(images, total), total),
                    **options,
                )
                if self.report.why_nothing:
                    raise CannotBeDone(self.report.why_nothing)
                self._finish()
            except (SourceError, StrictImportError, ProgramError) as error:
                raise CannotBeDone(str(error)) from error
            except KeyboardInterrupt as stopped:
                if self._watch is not None:
                    self._watch.write()
                raise Stopped(Wanted.CANCEL.value) from stopped
            finally:
                if self._use.propose and self._project is not None:
                    enter_predictions(self._project.pk)  # also of an import that is stopped: its images stay

    @contextmanager
    def _recorded(self, project: Project) -> Iterator[RunWatch]:
        end_those_of_killed_commands(project.import_runs.all())
        kind, what = ImportRun.Kind.IMPORT, {"use": self._kind.value, "program": self._program}
        run = begin(project, self._user, kind, self._source[:500], at_once=False, **what)
        watch = RunWatch(run, by_command=True, report=self.report)
        with by_command(watch):
            yield watch

    def _through(self, images: Any, total: int) -> Iterator[Any]:
        """Hand on the images, and count them in the run, which begins after the first of a new project."""
        for done, image in enumerate(images):
            if self._watch is not None:
                self._watch.done, self._watch.total = done, total
                self._watch.look()
            yield image
            if self._watch is not None:
                self._watch.done = done + 1

    def _finish(self) -> None:
        assert self._project is not None and self._watch is not None  # an import that ends has begun
        self.told = self._use.finish(self._project, self.report)
        self._watch.write(note=" ".join(filter(None, (source_in_words(self.report), self.told))))
