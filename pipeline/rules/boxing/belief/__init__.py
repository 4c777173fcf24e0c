"""What is believed of the boxes of a chain, and what to ask next."""
