"""How accurate the skill estimates are on labels of real crowds."""
