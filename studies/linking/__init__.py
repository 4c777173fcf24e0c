"""Accuracy and cost of the adaptive link strategy beside the paper's strategies."""
