"""The commands of this app, one a file, each named like its file."""
