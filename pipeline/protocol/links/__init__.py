"""The four link strategies: which pairs to ask, and the chains that the answers make."""
