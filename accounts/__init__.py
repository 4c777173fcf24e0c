"""Requesters and administrators: permissions (`may.py`), invitations, tokens, the event log."""
