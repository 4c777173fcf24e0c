"""Becoming a worker: invitations, accounts, guests, signing in. Imports neither the pages nor the API."""
