"""The entries of the record: each kind changes the progress of an image, which is their fold."""
