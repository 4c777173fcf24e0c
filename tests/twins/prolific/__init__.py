"""A local twin of Prolific: its REST API, its events, and a participant's side."""

from tests.twins.prolific.twin import Participant, ProlificTwin

__all__ = ["Participant", "ProlificTwin"]
