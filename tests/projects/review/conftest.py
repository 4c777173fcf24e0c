"""A finished project of two drawn scenes, and a reviewer of it."""

from tests.projects.gallery.conftest import expert, first_image  # noqa: F401  # fixtures
