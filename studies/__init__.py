"""Studies and benchmarks, run from a checkout: `python -m studies COMMAND`.

A server does not install this package, and the Docker image leaves it out. It may import everything.
"""
