"""Probabilities of links and boxes from answers of people and models. A library, free of the service."""
