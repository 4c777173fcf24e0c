"""Random and hostile requests to every address of the service, in this process, from a seed. Imports any app."""
