"""The decorator of views that are asked for once more: before money moves, rights are given, or data is deleted."""

from functools import partial

from allauth.account.decorators import reauthentication_required

reauthenticated = partial(reauthentication_required, allow_get=True)
"""Whoever sends the form gives the password or the second factor again, at most once in a quarter of an hour."""
