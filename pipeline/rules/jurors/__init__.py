"""Rules of programs that judge: how often they err, since when, and whether what they make a belief say is right."""
