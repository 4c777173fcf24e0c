"""The belief policy of the four box tasks, and its evidence: answers, phrases, programs. Imports no room but links."""
