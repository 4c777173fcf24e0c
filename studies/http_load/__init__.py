"""Load on the running service over HTTP: what a stored judgment costs in each of its processes."""
