"""Prolific: an offer is a study, a session is a submission, a worker is a participant (docs/prolific.md)."""

NAME = "prolific"
