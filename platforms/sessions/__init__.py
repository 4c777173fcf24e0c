"""Open, hold and finish a worker's session."""
