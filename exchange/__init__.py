"""Data sets in and out: file formats, imports and exports of projects, data cards, statistics.

It may import `pipeline`, `workers` and `annotation`. `dataset.py` holds the values that every format is read into;
`formats` reads and writes files, and knows no database.
"""
