"""The state of one image: its parts, and how they are stored, compared with rows of the database, and shown."""
