"""Keep a selection of images for an export."""

from collections.abc import Iterable
from hashlib import sha256

from annotation.models import Project
from exchange.models import Selection
from upkeep import clock


def keep_selection(*, project: Project, images: Iterable[int], include_unmerged: bool, words: str = "") -> Selection:
    """Store the images' ids, unless the same images were selected before. Returns the row."""
    ids = sorted(images)
    digest = sha256(f"{include_unmerged}:{','.join(map(str, ids))}".encode()).hexdigest()[:16]
    values = {"images": ids, "include_unmerged": include_unmerged, "words": words[:500], "created_at": clock.now()}
    row, made = Selection.objects.get_or_create(project=project, digest=digest, defaults=values)
    if not made:  # it is kept for a week from now
        Selection.objects.filter(pk=row.pk).update(created_at=clock.now())
    return row
