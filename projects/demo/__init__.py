"""Demo projects: campaigns in the middle of their work, by simulated workers."""
