"""Surveys: short questions that are none of the six tasks, read from a file, asked, and written out as votes.

A survey is a project with one task; workers, leases, trust, pay and the record are those of `pipeline`. It may import
`exchange`, `pipeline`, `workers` and `annotation`.
"""
