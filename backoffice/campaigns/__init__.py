"""Admin pages of what the requesters' pages keep: imports, states, figures, alerts."""
