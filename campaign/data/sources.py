"""Sources of an import: the uploaded files, and those folders and buckets that an administrator allows."""

from pathlib import Path

from django.conf import settings

from annotation.models import Project
from campaign.data.uploads import files_folder
from exchange.links_out import is_inside
from exchange.problems import SourceError, source_error
from exchange.source import SCHEME

UPLOADED = "the uploaded files"


def allowed_sources() -> list[str]:
    """Return the folders and addresses below which requesters may import (the setting IMPORT_SOURCES)."""
    return list(settings.IMPORT_SOURCES)


def allowed_folders() -> list[Path]:
    """Return the folders of the server among them, without links."""
    return [Path(one).resolve() for one in allowed_sources() if not one.startswith(SCHEME)]


def check_source(source: str) -> str:
    """Return the folder or address in its plain form. Raises SourceError if it is below no allowed one."""
    places = [one for one in allowed_sources() if one.startswith(SCHEME) == source.startswith(SCHEME)]
    if source.startswith(SCHEME):
        if any(source.startswith(one if one.endswith("/") else f"{one}/") for one in places):
            return source
    elif source.startswith("/") and "\0" not in source:
        # Resolved, so that neither .. nor a link leads out of the folder.
        wanted = Path(source).resolve()
        if is_inside(wanted, allowed_folders()):
            if wanted.is_dir() or wanted.suffix == ".zip":
                return str(wanted)
            raise source_error(source, "is neither a folder nor a .zip file on the server")
    else:
        raise source_error(
            source[:200], "is not a source: write a whole path such as /sets/photos, or s3://BUCKET/PREFIX/"
        )
    allowed = ", ".join(places) or "none of this kind"
    raise source_error(
        source[:200], f"is not allowed: an administrator allows sources with IMPORT_SOURCES; allowed now: {allowed}"
    )


def uploaded_source(project: Project) -> Path:
    """Return the folder of the uploaded files, or their only .zip file. Raises SourceError without a clear source."""
    folder = files_folder(project.pk)
    inside = sorted(folder.iterdir()) if folder.is_dir() else []
    if not inside:
        raise source_error(UPLOADED, "are missing: upload pictures with a file of captions first")
    zips = [path for path in inside if path.suffix.lower() == ".zip"]
    if zips and len(inside) > 1:
        raise source_error(UPLOADED, f"hold {zips[0].name} and other files: remove one or the other")
    return zips[0] if zips else folder


def plain_problem(error: SourceError, path: Path | str) -> str:
    """Return the error's sentence, with words in place of the path of the uploaded files."""
    return str(error).replace(str(path), UPLOADED) if path else str(error)
