"""Making foil captions: words and their pairs, targets, foils, the hardest of them, and the file of items."""
