"""The loop of the box tasks: what its answers add up to, and who may answer next."""
