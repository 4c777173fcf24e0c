"""The adaptive link strategy: ask the link that tells most about how a group falls into chains."""
