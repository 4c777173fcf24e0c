"""A plain folder of pictures with a file of captions."""
