"""WHAT KEEPS the service running: the time, runs of jobs, causes of failures. Imports no other app of ours."""
