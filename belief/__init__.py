"""Belief: what answers of people and models make likely about links and boxes. A library, free of the service."""
