"""Measurements of our own: speed, trust, signals, leaks, links. Run from a checkout; imports everything."""
