"""Admin pages of workers, accounts, access, trust, signals, skill, invitations, API keys and messages."""
