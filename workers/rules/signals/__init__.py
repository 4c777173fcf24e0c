"""Signals: hints of bad work, shown to the requester with their evidence; none of them bars anyone."""
