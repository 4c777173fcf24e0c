"""Ledger, reservation, payment, spend cap."""
