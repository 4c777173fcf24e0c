"""What answers teach of boxes, of workers and of programs."""
