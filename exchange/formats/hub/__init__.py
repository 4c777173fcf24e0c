"""Folders that Hugging Face's `datasets` loads: pictures, and metadata.jsonl beside them."""
