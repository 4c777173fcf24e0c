"""Tell the platform what is planned, each thing once, whatever fails on the way."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from platforms.errors import NothingDoneError, PlatformError, RefusedError, UnsureError
from platforms.note_done import note_done
from platforms.patience import Patience
from platforms.platform import Platform
from platforms.still_right import why_not
from workers.models import Movement, Worker

State = Movement.State
CLAIM = timedelta(minutes=10)
"""Who says something has so long before another run asks what became of it: longer than the most patient of calls."""


def carry_out_all(
    platform: Platform, project_id: int, patience: Patience | None = None
) -> list[tuple[Movement, PlatformError]]:
    """Everything that is planned, or was said without an answer; bonuses first. Returns what went wrong."""
    patience = patience or Patience()
    rows = Movement.objects.filter(session__offer__platform=platform.name, session__offer__project_id=project_id)
    waiting = rows.filter(state__in=[State.PLANNED, State.SAID]).select_related("session__offer", "session__worker")
    trouble = []
    for movement in sorted(waiting, key=lambda one: (one.kind != Movement.Kind.BONUS, one.id)):
        if patience.gone:
            break
        try:
            if carry_out(platform, movement):
                patience.note()
        except PlatformError as error:
            patience.note(error)
            trouble.append((movement, error))
    return trouble


def carry_out(platform: Platform, movement: Movement) -> bool:
    """Whether it is done. UnsureError: it may have been heard, and is asked about next time. RefusedError: never.

    The clock is read here: the round that says it may have begun an hour ago.
    """
    now = timezone.now()
    if movement.state == State.SAID and (said := _heard(platform, movement, now)) is not None:
        return said
    if not _claim(movement, timezone.now()):
        return False
    try:
        external_id = platform.carry_out(movement)
    except PlatformError as error:
        _note_trouble(movement, error)
        raise
    note_done(movement.id, external_id=external_id)
    return True


def _heard(platform: Platform, movement: Movement, now: datetime) -> bool | None:
    """Whether what was said took effect; None: it did not, and is to be said again."""
    if movement.said_at is not None and movement.said_at + CLAIM > now:
        return False  # another run may be saying it this very moment
    heard = platform.was_done(movement)
    if heard:
        note_done(movement.id)
        return True
    return None if heard is False else False


@transaction.atomic
def _claim(movement: Movement, now: datetime) -> bool:
    """Only one run says it: whoever raises the count of tries. What is not right any more is dropped unsaid, and
    planned anew as it should be."""
    Worker.objects.select_for_update(no_key=True).get(id=movement.session.worker_id)
    mine = Movement.objects.filter(id=movement.id, state=movement.state, tries=movement.tries)
    movement.session.refresh_from_db(fields=["state", "there", "finished_at", "ends_at"])
    if why_not(movement, now):
        mine.delete()
        return False
    if not mine.update(state=State.SAID, tries=F("tries") + 1, said_at=now):
        return False
    movement.refresh_from_db(fields=["state", "tries", "said_at"])
    return True


def _note_trouble(movement: Movement, error: PlatformError) -> None:
    state = {RefusedError: State.REFUSED, NothingDoneError: State.PLANNED, UnsureError: State.SAID}
    becomes = next((after for kind, after in state.items() if isinstance(error, kind)), State.SAID)
    Movement.objects.filter(id=movement.id, state=State.SAID).update(state=becomes, trouble=str(error)[:500])
