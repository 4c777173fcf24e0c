"""Rules of surveys in plain Python: what a line of items says, and in which order questions are asked."""
