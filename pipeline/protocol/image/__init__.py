"""The image machine: each kind of entry changes the state of an image, which is the fold of its record."""
