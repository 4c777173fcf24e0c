"""The belief about the boxes of a chain: its prior, the next question worth asking, and how the prior is fitted."""
