"""Rules of the protocol in plain Python: values in, values out. They import the rules of `annotation` and `workers`."""
