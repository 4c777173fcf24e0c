"""{% frontend "src/gallery.ts" %}: the stylesheets and the script that were built from an entry."""

import json
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from django import template
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_tag
def frontend(entry: str) -> SafeString:
    built = _manifest(settings.FRONTEND / ".vite" / f"{PurePosixPath(entry).stem}.json")[entry]
    styles = [format_html('<link rel="stylesheet" href="{}">', static(f"app/{file}")) for file in built.get("css", [])]
    script = format_html('<script type="module" src="{}"></script>', static(f"app/{built['file']}"))
    return mark_safe("\n".join([*styles, script]))  # each part is escaped above


@cache
def _manifest(path: Path) -> dict[str, Any]:
    try:
        made: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ImproperlyConfigured("The pages are not built: run `make run`, or scripts/frontend.sh build.") from error
    return made
