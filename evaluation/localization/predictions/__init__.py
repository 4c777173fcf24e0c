"""Predictions of models: their files, and the scores of what they hold."""
