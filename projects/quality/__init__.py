"""Quality of work: disagreement, skills, signals of bad work, calibration, and what programs saved."""
