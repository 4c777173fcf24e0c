"""Renderers of files: a caller can ask for their media type, and the file itself is streamed."""

from typing import Any

from rest_framework.renderers import BaseRenderer, JSONRenderer


class Streamed(BaseRenderer):
    """Renders refusals only, as JSON."""

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return bytes(JSONRenderer().render(data))


class ZipRenderer(Streamed):
    """Lets a caller ask for `application/zip`."""

    media_type = "application/zip"
    format = "zip"


class LinesRenderer(Streamed):
    """Lets a caller ask for `application/jsonl`."""

    media_type = "application/jsonl"
    format = "jsonl"
