"""Plan, lease, keep, submit and end an assignment; score a qualification test."""
