"""The belief about the boxes of a chain, and the question to ask next."""
