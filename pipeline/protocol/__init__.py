"""The protocol of the paper [3], alone: tasks, links, boxes, trust, merging, and the machine that folds a record."""
