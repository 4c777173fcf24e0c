"""{% frontend "src/gallery.ts" %}: the stylesheets and the script that were built from an entry.

{% screens task %}: those of the page on which the task is done.

Files have the names of the build, with a hash inside (config/settings.py lets browsers keep them). A second name would
load the entry twice: a part that is loaded later imports the entry by the name in the build.
"""

import json
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from django import template
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from pipeline.protocol.tasks.task import SURVEY_TASKS, Task

register = template.Library()

OWN_ENTRIES = {Task.BOX_DRAWING.value: "src/draw.tsx"} | {task.value: "src/survey.tsx" for task in SURVEY_TASKS}


@register.simple_tag
def frontend(entry: str) -> SafeString:
    built = _manifest(settings.FRONTEND / ".vite" / f"{PurePosixPath(entry).stem}.json")[entry]
    styles = [format_html('<link rel="stylesheet" href="{}">', _address(file)) for file in built.get("css", [])]
    script = format_html('<script type="module" src="{}"></script>', _address(built["file"]))
    return mark_safe("\n".join([*styles, script]))  # each part is escaped above


@register.simple_tag
def screens(task: str) -> SafeString:
    """Return the stylesheets and the script of the page on which the task is done; a closed page has no task."""
    return frontend(OWN_ENTRIES.get(task, "src/work.tsx"))


@register.simple_tag
def words(language: str) -> SafeString:
    """Return the script with the labelling page's words in this language; nothing for English, which the page has."""
    if language == settings.LANGUAGE_CODE:
        return SafeString()
    built = _manifest(settings.FRONTEND / ".vite" / "words.json").get(f"src/words/{language}.ts")
    return format_html('<script type="module" src="{}"></script>', _address(built["file"])) if built else SafeString()


def _address(file: str) -> str:
    return f"{settings.STATIC_URL}app/{file}"


@cache
def _manifest(path: Path) -> dict[str, Any]:
    try:
        made: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ImproperlyConfigured("The pages are not built: run `make run`, or scripts/frontend.sh build.") from error
    return made
