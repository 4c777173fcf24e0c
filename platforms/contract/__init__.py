"""Calls that a platform answers, its errors, the terms of an offer."""
