"""Consequences of workers' scores: trust, batches, and judgments that are taken back and asked again.

Imports `record`, `money` and what these import, but not `asking`.
"""
