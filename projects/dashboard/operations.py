"""Operations that read the figures of a project as its pages show them while they are open."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from projects.dashboard.compare_prediction import compare_prediction, predicted_of
from projects.dashboard.figures import read_figures
from projects.dashboard.live import live_counts
from projects.dashboard.machine import arrows_of, machine
from projects.dashboard.needs import Need, needs_of
from projects.dashboard.summary import Tile, summary
from projects.operation import Caller, NoInput, Output, operation


class NeedOfProject(Output):
    """A thing that a person has to do."""

    kind: str
    count: int
    label: str
    words: str
    url: str
    """The page where it is settled."""


class LiveFigures(Output):
    """Figures that change while a page is open."""

    texts: dict[str, str]
    """By the names of their places on the page."""
    needs: list[NeedOfProject]

    @classmethod
    def of(cls, tiles: Iterable[Tile], needs: Iterable[Need], texts: dict[str, str] | None = None) -> LiveFigures:
        """Return the figures of tiles and `texts` of other places."""
        shown = (texts or {}) | {f"tile.{tile.name}": tile.value for tile in tiles}
        return cls(texts=shown, needs=[NeedOfProject.model_validate(need) for need in needs])


@operation(name="dashboard", surveys=False, path="dashboard/", method="get")
def read_dashboard(project: Project, inputs: NoInput, caller: Caller) -> LiveFigures:
    """Return the figures of the dashboard, and what needs a person."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    counts, drawn = live_counts(project.pk), machine(arrows_of(figures))
    texts = {name: f"{number:,}" for name, number in counts.items()}
    texts |= {f"arrow.{arrow.old}.{arrow.new}": arrow.short for arrow in drawn.arrows}
    texts |= {f"row.{arrow.old}.{arrow.new}": f"{arrow.count:,}" for arrow in (*drawn.arrows, *drawn.others)}
    compared = compare_prediction(project, figures, settings)
    tiles = [*summary(figures, settings, counts, predicted_of(compared)).tiles, *(compared.tiles if compared else [])]
    return LiveFigures.of(tiles, needs_of(project, settings, figures), texts)
