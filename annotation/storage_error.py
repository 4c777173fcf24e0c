"""The error of a storage of files, whichever it is."""

from runtime.disk_errors import FilesError


class StorageError(FilesError):
    """The bucket or the folder does not answer, or refuses access. Trying again later may help."""
