"""Workers: who answers, how well, what they are owed, and what a requester does about it."""
