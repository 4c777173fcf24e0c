"""The HTTP API for pages and programs. Imports what a worker may do (`open_tasks`), not the pages."""
