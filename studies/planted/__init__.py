"""Errors planted in real annotations, and how many of them a check finds."""
