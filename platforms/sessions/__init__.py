"""A worker's session on a platform: opened, asked for work, handed in; and the figures that settle it.

May import the contract, models and rules of platforms, and what lies below platforms.
"""
