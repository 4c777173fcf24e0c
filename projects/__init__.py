"""Requesters' work on a project, its gallery, figures and reports."""
