"""Corrected data sets: what a check changed, written into the files of the source, and nothing else of them."""
