"""Write the corrected set of a checked project: its source, with the labels that the check has changed."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from annotation.models import Project
from exchange.checks import source_error
from exchange.corrected import CorrectedReport, write_corrected
from exchange.import_dataset import Progress
from projects.corrected.corrections import CorrectionCounts, ProjectCorrections
from runtime.words import counted


@dataclass(frozen=True, slots=True)
class CorrectedSet:
    """A corrected set that was written."""

    report: CorrectedReport
    counts: CorrectionCounts

    def sentences(self) -> list[str]:
        """Say what changed, what did not, and what could not be written."""
        counts, report = self.counts, self.report
        said = [
            f"{counts.changed:,} of {counted(counts.labels, 'label')} changed, in {counted(report.changed, 'image')} "
            f"of {counts.images:,}. All else is as in the source."
        ]
        if counts.in_question:
            is_are = "is still in question and stays" if counts.in_question == 1 else "are still in question and stay"
            said.append(f"{counted(counts.in_question, 'label')} {is_are} as in the source.")
        if counts.elsewhere:
            first = f"{counted(len(counts.elsewhere), 'image')} of the source (first: {counts.elsewhere[0]})"
            said.append(f"Not checked, and as in the source: {first}.")
        if report.problems:
            said.append(f"Not readable, and as in the source: {report.problems[0]}")
        said += [f"{often:,} {why} (first: {report.examples[why]})." for why, often in report.unwritten.items()]
        return said


def export_corrected(
    *,
    project: Project,
    source: Path | str,
    target: Path,
    source_format: str | None = None,
    pictures: bool = False,
    part: bool = False,
    within: Collection[Path] | None = None,
    progress: Progress = lambda images, total: images,
) -> CorrectedSet:
    """Write the source that the project checks to `target`, as `write_corrected` does, and return what changed.

    `part`: the project was imported from several sources, of which this is one. `within`: see `exchange.source.opened`.
    Raises ProgramError for a project that checks nothing, SourceError for a source that lacks images of the project or
    differs from what was imported, and TargetExists.
    """
    corrections = ProjectCorrections(project)

    def ended() -> None:
        if not corrections.counts.images:
            raise source_error(source, f"has no image that {project.name} checks: give what was imported")
        if (missing := corrections.missing()) and not part:
            raise source_error(
                source,
                f"lacks {counted(len(missing), 'image')} that {project.name} checks (first: {missing[0]}): give all "
                "that was imported, or --part for one of several sources",
            )

    report = write_corrected(
        path=source,
        target=target,
        corrector=corrections.of,
        source_format=source_format,
        pictures=pictures,
        within=within,
        ended=ended,
        progress=progress,
    )
    return CorrectedSet(report, corrections.counts)
