"""ODVG JSON Lines of the Grounding DINO family: a line for each caption."""
