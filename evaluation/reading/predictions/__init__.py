"""Predictions of models for phrases: one form of files, whatever they are read for."""
