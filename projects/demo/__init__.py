"""Demo projects in the middle of their work, by simulated workers (the first: `simulation/build_demo.py`)."""
