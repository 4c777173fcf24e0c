"""The commands about platforms. May import every room of platforms but pages and addresses."""
