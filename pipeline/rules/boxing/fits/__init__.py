"""Lessons of answers about boxes, workers and programs."""
