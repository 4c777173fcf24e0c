"""Quality of work: agreement, skills, signals of bad work, calibration, and what programs saved."""
