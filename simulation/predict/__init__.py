"""Predictions before anything is paid: a virtual crowd works on a project's images in memory, by the rules alone.

All figures are simulated.
"""
