"""JSON Schemas of the files that people meet, made from the declarations of their rows, and the check of a file."""
