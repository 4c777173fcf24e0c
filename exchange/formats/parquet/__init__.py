"""Parquet files that hold their pictures, as data sets lie on Hugging Face's hub."""
