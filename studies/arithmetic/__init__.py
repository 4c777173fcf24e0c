"""Rows, bytes, statements and log of an image, a judgment and a day, and what they come to in a large service."""
