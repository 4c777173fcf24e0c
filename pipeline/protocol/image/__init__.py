"""The machine: how each entry changes the state of an image; merging, experts' acts and their undo."""
