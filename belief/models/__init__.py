"""Model annotators: how often each errs, since when, together with which others, and how that is learned."""
