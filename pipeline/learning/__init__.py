"""Learning: a project fits its priors and its trust in programs to its own answers."""
