"""The template tag that links the built front end."""
