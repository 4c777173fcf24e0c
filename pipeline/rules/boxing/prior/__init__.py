"""What is expected of boxes before anybody answers, and of who answers."""
