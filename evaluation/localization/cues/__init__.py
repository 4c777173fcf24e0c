"""Cues beside the embedding [paper 4.1.3]: detectors, size, colour, their weights and equations 1 to 3."""
