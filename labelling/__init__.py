"""The API and the pages for workers: joining, home, and the page to answer questions. Imports any app below it."""
