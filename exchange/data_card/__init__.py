"""Data cards: what is in an export, who made it and how, for people and for programs."""
