"""The requester and the project of the tests of imports."""

from tests.projects.data.conftest import _own_folders, draft, rita  # noqa: F401  # fixtures
