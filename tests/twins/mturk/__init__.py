"""A local twin of Mechanical Turk: `with MTurkTwin() as twin: client = twin.client()`.

What it could not be held against is listed in docs/how-to/mturk.md.
"""

from tests.twins.mturk.events import Queue
from tests.twins.mturk.twin import MTurkTwin

__all__ = ["MTurkTwin", "Queue"]
