"""Benchmarks: how fast the pipeline is on this machine, measured in databases of their own."""
