"""Every address of the service, as its URL configuration lists them."""

import re
from dataclasses import dataclass

from upkeep.routes import routes


@dataclass(frozen=True, slots=True)
class Address:
    """A route such as `/projects/{name}/images/{image_id}/`, and the names of its parameters."""

    route: str
    name: str

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.route)

    @property
    def is_api(self) -> bool:
        return self.route.startswith("/api/")

    def filled(self, values: dict[str, str]) -> str:
        """Return the path with these values, which are percent-encoded already."""
        return re.sub(r"{(\w+)}", lambda found: values[found[1]], self.route)


def all_addresses() -> list[Address]:
    found = [Address(route, name) for route, name in routes()]
    return sorted({*found, Address("/healthz", ""), Address("/readyz", "")}, key=lambda one: (one.route, one.name))
