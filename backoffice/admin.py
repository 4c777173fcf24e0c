"""Imports every admin page. Django reads this file when the server starts."""

from backoffice import (  # noqa: F401  # each registers its models
    of_accounts,
    of_annotation,
    of_people,
    of_platforms,
    of_projects,
    of_questions,
)
