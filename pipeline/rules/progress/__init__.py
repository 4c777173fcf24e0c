"""The progress of one image: its state, and how that is stored, compared with rows of the database, and shown."""
