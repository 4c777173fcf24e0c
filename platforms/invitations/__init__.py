"""Our own invitation links as a platform, named "links" in rows and commands.

May import the contract, models and rules of platforms, and what lies below platforms.
"""
