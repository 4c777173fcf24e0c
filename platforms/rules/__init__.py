"""Decisions without a database: places to offer, settlement of a session, bonuses.

Plain Python: imports nothing but other rules.
"""
