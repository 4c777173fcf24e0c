"""Conversations between workers and requesters: a worker writes, a requester answers, and mail tells the worker."""
