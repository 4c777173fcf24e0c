"""The format of a plain folder: pictures, and captions in one CSV or JSON Lines file."""
