"""Made-up chains on which the paper's loop of the box tasks and the belief policy are compared."""
