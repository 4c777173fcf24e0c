"""Measurement of a program: the same images with its predictions and without, in scratch copies that are simulated."""
