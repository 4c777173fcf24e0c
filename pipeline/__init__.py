"""The way from questions to a merged image: tasks, trust, money, and the record of each image."""
