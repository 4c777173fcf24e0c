"""Data of a project: upload files, import them while a page shows how far it is, look at phrases, mend types."""
