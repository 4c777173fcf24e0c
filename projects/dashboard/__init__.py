"""The dashboard: needs of a project, the six tasks at work, agreement, pace, cost, the paper's tables."""
