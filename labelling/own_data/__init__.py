"""A worker's own data: download and deletion. See docs/how-to/workers_data.md."""
