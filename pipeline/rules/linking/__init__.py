"""Coreference links: which pairs to ask, and the chains that the answers make. Imports `tasks`."""
