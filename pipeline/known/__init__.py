"""Known answers, and the balance of their answers."""
