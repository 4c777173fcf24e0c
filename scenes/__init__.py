"""Scenes: pictures that the program draws itself, with captions, mentions, chains and boxes that are known exactly."""
