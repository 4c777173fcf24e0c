"""The time that proposals of a simulated model save, and the final boxes, against drawing."""
