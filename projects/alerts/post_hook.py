"""Post to a webhook: signed, with a time limit, without redirects, and never to an address inside the network.

The name is resolved once, its addresses are checked, and the connection goes to the address that was checked: a name
that changes its address in between reaches nothing. A job tries a webhook, so that nobody waits for another's server.
"""

import contextlib
import hashlib
import hmac
import http.client
import json
import socket
import ssl
import threading
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from projects.models import AlertChannel
from projects.runs import background_job
from runtime import clock
from runtime.models import JobRun
from runtime.runs import claimed, request

SECONDS, ALL_SECONDS = 10, 20
"""The time for the connection and for each part of the answer; and for everything, however slowly it comes."""
UNICAST = ip_network("2000::/3")
"""Public addresses of version 6; all others are special."""
HOLD_ANOTHER = (ip_network("2002::/16"), ip_network("2001::/32"))
"""Parts of it whose addresses hold one of version 4, to which relays lead: 6to4 and Teredo."""
SIGNATURE, TIME = "X-Chainbox-Signature", "X-Chainbox-Time"


class HookError(Exception):
    """The webhook did not take the message, or may not be called. The text is for the log of deliveries."""


def signature(secret: str, time: str, body: bytes) -> str:
    """Return the signature: HMAC-SHA256 over the time, a full stop, and the body, in hexadecimal."""
    return "sha256=" + hmac.new(secret.encode(), time.encode() + b"." + body, hashlib.sha256).hexdigest()


def check_url(url: str) -> None:
    """Raise HookError unless the address may be a webhook's. Names are resolved when it is called."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  # raises ValueError for a port that is none
    except ValueError as error:
        raise HookError(f"This is not an address: {error}.") from error
    schemes = ("https", "http") if settings.HOOKS_TO_PRIVATE else ("https",)
    if parts.scheme not in schemes or not parts.hostname:
        raise HookError("The address must begin with https:// and name a host.")
    if parts.username or parts.password:
        raise HookError("The address may hold no user name and no password: the signature tells who calls.")


def post_hook(url: str, secret: str, body: bytes) -> None:
    """Post the body. Raises HookError unless the answer is 2xx."""
    check_url(url)
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    time = str(int(clock.now().timestamp()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Chainbox",
        TIME: time,
        SIGNATURE: signature(secret, time, body),
    }
    target = parts.path or "/"
    connection = _Connection(host, port, _address(host, port), tls=parts.scheme == "https")
    end = threading.Timer(ALL_SECONDS, connection.cut)
    end.start()
    try:
        connection.request("POST", f"{target}?{parts.query}" if parts.query else target, body, headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise HookError(f"{host} did not answer: {str(error) or type(error).__name__}.") from error
    finally:
        end.cancel()
        connection.close()
    if 300 <= status < 400:
        raise HookError(f"{host} answered {status}: redirects are not followed; give the final address.")
    if not 200 <= status < 300:
        raise HookError(f"{host} answered {status} {http.client.responses.get(status, '')}.".replace(" .", "."))


def _address(host: str, port: int) -> str:
    """Return an address of the host. Raises HookError if one of them is not public: that may be a trick."""
    try:
        found = [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError) as error:
        raise HookError(f"The name {host} is not known: {error}.") from error
    if not settings.HOOKS_TO_PRIVATE:
        for address in found:
            if not is_public(address.split("%")[0]):
                raise HookError(
                    f"{host} is {address}, which is inside the network: webhooks go to public addresses only."
                )
    return found[0]


def is_public(text: str) -> bool:
    """Tell whether this is a public address, and none that leads to another one: a relay may lead inside."""
    address = ip_address(text)
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return is_public(str(address.ipv4_mapped))
        if address not in UNICAST or any(address in part for part in HOLD_ANOTHER):
            return False
    return address.is_global and not address.is_multicast


class _Connection(http.client.HTTPConnection):
    """A connection to an address that was checked, under the host's name."""

    def __init__(self, host: str, port: int, address: str, *, tls: bool) -> None:
        super().__init__(host, port, timeout=SECONDS)
        self._address = address
        self._context = ssl.create_default_context() if tls else None
        self._is_over = False

    def cut(self) -> None:
        """End the connection while another thread opens it or reads from it."""
        self._is_over = True
        if self.sock:
            with contextlib.suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), SECONDS)
        if self._context:
            # The handshake comes after the assignment, so that it can be cut, too.
            secure = self._context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock = secure
            if not self._is_over:
                secure.do_handshake()
        if self._is_over:
            raise TimeoutError("the time was over")


KIND = "test"


class Trial(NamedTuple):
    """The last test of a webhook: `taken` is None until it has ended, and `problem` tells why it was not taken."""

    taken: bool | None
    problem: str


def try_channel(channel: AlertChannel) -> None:
    """Send the test. Raises HookError if it was not taken. It is in no log of deliveries: it is not an alert."""
    name = channel.project.name
    message = {
        "id": 0,
        "project": name,
        "kind": KIND,
        "count": 0,
        "words": "This is a test: nothing needs you.",
        "address": f"{settings.ADDRESS}/projects/{name}/alerts/",
        "began_at": clock.now().isoformat(),
    }
    post_hook(channel.url, channel.secret, json.dumps(message).encode())


def key_of(channel: AlertChannel) -> str:
    """Return the name under which the test is work for the job runners: there is one at a time."""
    return f"test of channel {channel.pk}"


def last_trial(channel: AlertChannel) -> Trial | None:
    """Return the last test of the webhook; None if there was none lately."""
    run = JobRun.objects.filter(key=key_of(channel)).first()
    if run is None:
        return None
    ended = run.state in (JobRun.State.DONE, JobRun.State.FAILED)
    return Trial((run.state == JobRun.State.DONE) if ended else None, run.problem.removeprefix("HookError: "))


@background_job("projects.try_channel")
def try_channel_job(channel_id: int) -> None:
    """Send the test, unless another process does. Whether it was taken is kept with the work."""
    channel = AlertChannel.objects.filter(pk=channel_id).select_related("project").first()
    if channel is None:
        return
    try:
        with claimed(key_of(channel)) as mine:
            if mine:
                try_channel(channel)
    except HookError:
        return  # the row of the work says why


def try_soon(channel: AlertChannel) -> None:
    """Request a test of the webhook, unless one is on its way."""
    request(try_channel_job, channel.pk, key=key_of(channel), share=f"tests of {channel.project_id}")
