"""The ids of categories in a project's COCO exports."""

from annotation.models import Project
from annotation.rules.mention_type import MentionType
from exchange.load_project import categories_of


def category_ids(project: Project) -> dict[int, str]:
    """Return the categories by their ids: the eight types, then categories of imports, which never change theirs."""
    return dict(enumerate(dict.fromkeys([*map(str, MentionType), *categories_of(project)]), start=1))
