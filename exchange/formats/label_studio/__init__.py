"""The JSON export of Label Studio."""
