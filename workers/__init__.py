"""Workers, their access to projects, and their trust. Imports no other app of ours."""
