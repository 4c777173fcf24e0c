"""Rules about workers in plain Python: scores, trust, skill and signals of bad work. They import no other app."""
