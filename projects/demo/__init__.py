"""The demo campaign: a project in the middle of its work."""
