"""A database for studies that run the service: the test's own, which has its tables already."""

from contextlib import nullcontext

import pytest


class Here:
    """The test's own database in the place of a temporary one."""

    def use(self) -> None:
        """Stay."""


@pytest.fixture
def own_database(real_services: None, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let studies use the test's database: to migrate another one takes longer than the study."""
    from studies.http_load import measure
    from studies.management.commands import bench_http

    monkeypatch.setattr(bench_http, "scratch_databases", lambda count: nullcontext([Here()] * count))
    monkeypatch.setattr(measure, "WARM_UP", 40)
