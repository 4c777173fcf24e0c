"""Phrase localization: finding the box of a phrase."""
