"""Data sets in and out: readers and writers for each format, import and export of projects.

It may import `pipeline`, `workers` and `annotation`. `dataset.py` holds the values that every format is read into.
"""
