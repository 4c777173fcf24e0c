"""File formats: each is read and written by one package or file here, without a database."""
