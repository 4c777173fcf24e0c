"""Changes that a check has made of a data set, and the corrected set."""
