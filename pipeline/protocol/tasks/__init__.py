"""The six tasks: their answers, transition tables and decisions, and the flow of a chain between them; the surveys."""
