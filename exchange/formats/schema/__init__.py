"""JSON Schemas of files, made from the declarations of their rows, and the check of a file."""
