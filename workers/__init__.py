"""Who answers: workers, what they may do where, and how far they are trusted. Imports no other app of ours."""
