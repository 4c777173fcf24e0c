"""Append entries to the record of an image, fold them, write rows, replay, intervene."""
