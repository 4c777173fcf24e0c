"""Workers, their access to projects, and their trust."""
