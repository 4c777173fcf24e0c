"""Imports, captions split into words, phrases, exports, statistics, data cards with agreement (Krippendorff's alpha).

`dataset.py` holds the values that every format is read into;
`formats` reads and writes files, and knows no database.
"""
