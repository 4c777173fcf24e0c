"""PLACEHOLDER of the lead so that imports work: the money helper replaces this file."""


def commit(project_id: int, cents: int, cap_cents: int) -> bool:
    return True


def release(project_id: int, cents: int) -> None:
    return None
