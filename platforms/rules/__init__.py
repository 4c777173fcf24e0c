"""What is decided without a database or a network: how much to offer, how to settle."""
