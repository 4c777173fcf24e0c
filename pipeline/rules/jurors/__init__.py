"""Rules of programs that judge: how often they err, and since when."""
