"""Interface of box policies; the paper's loop: tallies, barred workers, boxes of programs; merging."""
