"""The API, workers' pages, joining, signing in, messages and mail."""
