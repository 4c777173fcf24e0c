"""Probabilities of links and boxes from answers, whether one more is worth its cost, calibration. A library."""
