"""Expectations of boxes, and of those who answer, before anybody has."""
