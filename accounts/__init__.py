"""Members of a project, their roles, and the one function that decides about their permissions.

Imports only `annotation` and `workers`.
"""
