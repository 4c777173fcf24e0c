"""People's answers to captions, from the votes that a survey exports."""
