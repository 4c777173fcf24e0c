"""Sources of workers: offers, sessions and payments on invitation links, Prolific and Mechanical Turk.

`contract/platform.py` says what a platform does for the service.
"""
