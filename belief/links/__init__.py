"""The belief about coreference links: its prior, its posterior after answers, and how both are fitted."""
