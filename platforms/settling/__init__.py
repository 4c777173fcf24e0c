"""Settle sessions with a platform: plan payments from the ledger, send each once, and write down what took effect.

May import the sessions, contract, models and rules of platforms, and what lies below platforms.
"""
