"""Prolific as a platform: an offer is a study, a session is a submission, a worker is a participant.

`wire_format.py` holds what goes over the wire. May import the offers, settling, sessions, contract, models and rules of
platforms, and what lies below platforms.
"""

NAME = "prolific"
