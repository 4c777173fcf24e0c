"""Rules of exactness: the way in which each worker draws, and one box of what several of them drew."""
