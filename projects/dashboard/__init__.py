"""The dashboard: what needs a person (and raises alerts), the six tasks at work, pace, cost, agreement, and the paper's tables."""
