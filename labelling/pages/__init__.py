"""The worker's own pages: projects, tasks, scores, earnings. Imports `joining` and `open_tasks`, not the API."""
