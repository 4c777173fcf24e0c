"""Plan, lease, keep, submit and end an assignment."""
