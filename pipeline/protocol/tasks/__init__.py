"""The six tasks: answers, decisions with how many votes they need, the flow between tasks; the surveys."""
