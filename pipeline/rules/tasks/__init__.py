"""The six tasks: each task's rule, and the flow of a chain between them. Imports no other room of the rules."""
