"""Stories: the people and things of each scene, and the patterns of its captions."""
