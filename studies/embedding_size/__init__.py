"""Memory and time of the CCA at the paper's size."""
