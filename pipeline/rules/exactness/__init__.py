"""How exact the workers draw, and one box of what several of them drew."""
