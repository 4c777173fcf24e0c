"""Clients of the API, which import nothing of the service: one of requesters, and a model that annotates."""
