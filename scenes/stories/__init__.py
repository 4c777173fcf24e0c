"""Stories: who is where in a scene, wears what and does what, and the patterns of what people say about it."""
