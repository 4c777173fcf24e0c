"""Becoming a worker: invitations, accounts, guests, signing in, password recovery. Imports no pages and no API."""
