"""Backups of the whole service: how one is made, and how one is restored. It imports settings and the database only."""
