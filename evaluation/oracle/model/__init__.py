"""The language model conditioned on atoms, with torch: its words, training, search and loss."""
