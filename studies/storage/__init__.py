"""Memory that an import from a bucket takes, as the number of pictures grows."""
