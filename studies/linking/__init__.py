"""Accuracy and cost of the adaptive link strategy beside the paper's strategies. Imports the simulation and the rules."""
