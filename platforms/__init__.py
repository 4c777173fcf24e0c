"""WHERE workers come from: the service's own links, Prolific, Mechanical Turk, behind one interface (`platform.py`)."""
