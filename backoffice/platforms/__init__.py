"""Admin pages of recruiting: offers, sessions, payments, and who workers are on a platform."""
