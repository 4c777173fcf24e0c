"""The three tasks, their chance, people's answers, and the steps that score."""
