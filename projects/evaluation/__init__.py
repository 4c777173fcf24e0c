"""Evaluation of a project: an export, the papers' scores on it, and a report that requesters look at."""
