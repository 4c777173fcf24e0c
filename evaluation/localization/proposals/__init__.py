"""Proposals [paper 4.1.2]: the regions of a picture that are ranked for a phrase."""
