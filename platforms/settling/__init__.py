"""Plan payments from the ledger, send each once, retry and compare."""
