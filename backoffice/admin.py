"""Registers every page of the administrators' site. Django imports this file; nothing else does."""

from backoffice.data import annotation_admin as _annotation  # noqa: F401
from backoffice.people import labelling_admin as _l  # noqa: F401
from backoffice.people import signals as _signals  # noqa: F401
from backoffice.people import workers_admin as _w  # noqa: F401
from backoffice.platforms import platforms_admin as _platforms  # noqa: F401
from backoffice.questions import pipeline_admin as _pipeline  # noqa: F401
