"""Data of a project: upload, import with progress, look at phrases, mend types, make exports with options."""
