"""The pages to which platforms send workers, and the addresses to which they send events.

May import every room of platforms but the addresses, and what lies below platforms.
"""
