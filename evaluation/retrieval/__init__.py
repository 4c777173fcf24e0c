"""Retrieval of images by sentences and of sentences by images."""
