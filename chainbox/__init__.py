"""The installed package: its version, and the command `chainbox`. In a wheel the apps lie in this folder."""

__version__ = "0.1.0"
