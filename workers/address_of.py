"""The network address of a caller."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str:
    """Return the address of the caller; of an IPv6 address the /64 network, which one customer holds.

    Behind the setting PROXIES, each proxy adds the address of its caller to X-Forwarded-For. What stands to the left of
    theirs was written by the caller, and is not read.
    """
    given = str(request.META.get("REMOTE_ADDR", ""))
    if settings.PROXIES:
        named = [
            address.strip() for address in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if address.strip()
        ]
        given = named[-settings.PROXIES] if len(named) >= settings.PROXIES else given
    try:
        address = ip_address(given)
    except ValueError:
        return given
    return str(ip_network((address, 64), strict=False)) if isinstance(address, IPv6Address) else given
