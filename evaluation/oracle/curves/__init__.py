"""Curves of an oracle: its points trained and scored, their charts, and other systems' scores read off them."""
