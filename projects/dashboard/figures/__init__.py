"""Figures that read many rows: computed by a job, kept in `Figures`, read by the page. One file for each group."""
