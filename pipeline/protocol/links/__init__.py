"""Interface of link policies; the paper's four strategies, consensus, contradictions."""
