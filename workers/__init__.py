"""Workers, access, skill, trust; the names and questions of the tasks as workers see them (`task_words.py`)."""
