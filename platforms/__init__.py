"""WHERE workers come from: offers, sessions and payments on our own invitation links, Prolific and Mechanical Turk.

`contract/platform.py` says what a platform does for the service. The app may import pipeline, workers and annotation.
"""
