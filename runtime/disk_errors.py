"""Errors of a disk or a storage, whatever file they meet."""

import errno

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
DEVICE = FULL | {errno.EIO, errno.EROFS, errno.ESTALE}
"""Errors of a disk, whatever file they meet."""


class FilesError(OSError):
    """The folder or bucket of pictures and exports cannot be reached. Trying again later may help."""


class StorageError(FilesError):
    """The bucket or the folder does not answer, or refuses access. Trying again later may help."""
