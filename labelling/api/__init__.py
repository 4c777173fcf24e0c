"""The HTTP API for pages and programs. Imports what a worker may do (`task_status`, `open_tasks`), not the pages."""
