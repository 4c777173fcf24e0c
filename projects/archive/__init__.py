"""Archives of finished projects: Parquet files with the whole record, rows that leave the database and come back."""
