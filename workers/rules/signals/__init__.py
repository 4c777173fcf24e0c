"""Signals of bad work, shown to the requester with their evidence; none bars a worker. Imports only its own files."""
