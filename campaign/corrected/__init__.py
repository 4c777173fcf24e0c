"""What a check has changed of a data set, and the corrected set."""
