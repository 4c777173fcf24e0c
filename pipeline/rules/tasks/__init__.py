"""The six tasks: each one's rule, and the flow of a chain between them; the surveys. Imports no other room of rules."""
