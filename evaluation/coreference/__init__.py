"""Coreference: chains of mentions scored against others by the metrics of coreference papers."""
