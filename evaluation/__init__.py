"""Scores models on exported data sets, as the papers that define the scores do. Knows files, nothing of the service.

`python -m evaluation SYSTEM STEP --data EXPORT --out DIR`
"""
