"""The page in a platform's frame; incoming events."""
