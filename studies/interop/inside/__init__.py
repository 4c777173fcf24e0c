"""Scripts that read exports with one reader each, inside an environment that holds it and nothing of Chainbox."""
