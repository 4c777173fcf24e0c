"""Statistics and charts of a data set, skill estimates and signals of bad work, and what workers are owed.

It may import `exchange`, `pipeline`, `workers` and `annotation`.
"""
