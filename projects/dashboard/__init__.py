"""The dashboard: what needs a person, the six tasks at work, pace, cost, agreement, and the paper's tables."""
