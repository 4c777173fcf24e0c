"""Attempts to tell verification questions from real ones by what a browser receives."""
