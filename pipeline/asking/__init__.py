"""Plan, draw questions (verification questions among them), lease, keep, submit, end; score a qualification test."""
