"""Workers, their access to projects, their skill, and when they gain and lose trust."""
