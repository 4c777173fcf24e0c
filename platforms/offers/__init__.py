"""Recruit, publish, withdraw, stay inside the budget."""
