"""Decisions without a database or a network: how many places to offer, how to settle a session, what a bonus pays.

Plain Python: imports nothing but other rules.
"""
