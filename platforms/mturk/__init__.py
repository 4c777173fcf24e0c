"""Amazon Mechanical Turk as a platform: an offer is a HIT, a session is an assignment of it.

`wire_format.py` holds what goes over the wire. May import the offers, settling, sessions, contract, models and rules of
platforms, and what lies below platforms.
"""

NAME = "mturk"
