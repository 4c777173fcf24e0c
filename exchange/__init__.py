"""Imports with the search for phrases in captions, exports, data cards, statistics of data sets.

`dataset.py` holds the values that every format is read into;
`formats` reads and writes files, and knows no database.
"""
