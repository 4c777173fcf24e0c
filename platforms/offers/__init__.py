"""Offers on a platform: begin and stop recruiting, adjust offers to work and budget, send them and read them.

May import the settling, sessions, contract, models and rules of platforms, and what lies below platforms.
"""
