"""Pages for recruiting on platforms: offers and their terms, sessions, and what is paid there."""
