"""What the rules of trust let through, and whom they bar, with simulated workers [paper 3.3, table 3]."""
