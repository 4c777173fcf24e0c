"""The uploaded file by which an import failed: it can be replaced before the import is resumed."""

from collections.abc import Sequence

from campaign.data.sources import UPLOADED
from campaign.data.uploads import Received
from campaign.models import ImportRun
from exchange.picture_files import is_picture


def replaceable(run: ImportRun, files: Sequence[Received]) -> str:
    """Return the path of the file that the run's problem names; empty if it names none of the uploaded files."""
    if run.state != ImportRun.State.FAILED or run.kind != ImportRun.Kind.IMPORT or run.source:
        return ""
    texts = [one.path for one in files if not is_picture(one.path)]
    if len(texts) == 1 and texts[0].lower().endswith(".zip"):
        return texts[0]
    named = [path for path in texts if run.problem.startswith((f"{path}:", f"{UPLOADED}/{path}:"))]
    return named[0] if named else ""
