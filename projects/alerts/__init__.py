"""Alerts: what needs a person, told once by mail and by webhook."""
