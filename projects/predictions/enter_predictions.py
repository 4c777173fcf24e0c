"""Enter predictions that are due in the record of their images."""

from pipeline.learning.refit import refit_of_programs
from pipeline.record.intervene import propose_boxes
from projects.models import ModelPrediction
from projects.threads import background_job
from runtime.runs import claimed, request

PREDICTIONS_PER_BATCH = 100


def enter_predictions(project_id: int) -> int:
    """Enter all that is due in the project, and return how many images there were.

    An interruption between the entry and its note repeats one entry, which then changes nothing.
    """
    done, links = 0, False
    while rows := list(
        ModelPrediction.objects.filter(project=project_id, due=True).order_by("id")[:PREDICTIONS_PER_BATCH]
    ):
        for row in rows:
            propose_boxes(
                image_id=row.image_id,
                worker_id=row.program_id,
                boxes=row.boxes,
                chains=row.chains,
                flags=row.flags,
                actor=row.made_by,
            )
            # Newer predictions that came meanwhile are due again.
            ModelPrediction.objects.filter(pk=row.pk, created_at=row.created_at).update(due=False)
            done, links = done + 1, links or bool(row.chains)
    if links:
        refit_of_programs(project_id)
    return done


@background_job("projects.enter_predictions")
def enter_predictions_job(project_id: int) -> None:
    """Enter all predictions of the project that are due, unless another process does."""
    with claimed(_key(project_id)) as mine:
        if mine:
            enter_predictions(project_id)


def enter_soon(project_id: int) -> None:
    """Request the entry of all predictions of the project that are due."""
    request(enter_predictions_job, project_id, key=_key(project_id), share=f"entries of {project_id}")


def _key(project_id: int) -> str:
    return f"projects.predictions {project_id}"
