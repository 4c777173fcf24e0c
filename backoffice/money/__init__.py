"""Admin pages of the ledger, of what workers are owed, and of spending."""
