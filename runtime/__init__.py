"""The running service: time, runs of jobs, causes of failures."""
