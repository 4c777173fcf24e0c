"""Models that look for the wrong word, behind one interface."""
