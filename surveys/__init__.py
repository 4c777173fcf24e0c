"""Short questions beside the six tasks, from items to votes.

A survey is a project with one task; workers, leases, trust, pay and the record are those of `pipeline`.
"""
