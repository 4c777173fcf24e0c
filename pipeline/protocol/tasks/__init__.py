"""The six tasks: answers, transition tables and decisions; the flow between them; the surveys."""
