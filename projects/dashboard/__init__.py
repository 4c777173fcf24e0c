"""The dashboard: needs of a project, which alerts send, the six tasks at work, pace, cost, the paper's tables."""
