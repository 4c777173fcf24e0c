"""The way of an assignment: planned, leased, kept alive, submitted or ended.

Imports every other room of `pipeline`; only jobs, the sweep (`tick`) and commands import this one.
"""
