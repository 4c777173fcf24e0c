"""A network of this machine's own for hosts that only look like machines: Linux's namespaces, which take root.

Every host has an address, a name and process numbers of its own. Servers stand on another host, the hub, each with an
address of its own, so that a host can be cut off from one of them: packets vanish without a word, as in a real network.
Namespaces live as long as the processes that hold them, and those die with this one. Nothing is left behind.
"""

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.services import ServiceError, child, wait_until

PROGRAMS = ("ip", "nsenter", "setpriv", "unshare")
SERVERS = {"database": 2, "redis": 3, "bucket": 4}
"""The last numbers of the addresses of the hub."""
FIRST_HOST = 11
OUTSIDE = 1
"""The last number of the address that this machine itself has."""


def why_no_network() -> str:
    """Return why this process cannot make a network of its own; empty: it can."""
    if os.geteuid() != 0:
        return "needs root, for network namespaces"
    if missing := [name for name in PROGRAMS if not shutil.which(name)]:
        return f"needs {', '.join(missing)}: apt-get install iproute2 util-linux"
    done = subprocess.run(["unshare", "--net", "--uts", "--pid", "--fork", "true"], capture_output=True, check=False)
    return "" if done.returncode == 0 else f"makes no namespaces here: {done.stderr.decode().strip()}"


@dataclass
class Network:
    """The namespaces of the hub and of the hosts, by name, and what is cut."""

    prefix: str
    """The first three numbers of every address."""
    holders: dict[str, int]
    """The process that holds the namespace of each host, and of the `hub`."""
    addresses: dict[str, str]
    """Of hosts and servers."""
    cuts: set[tuple[str, str]] = field(default_factory=set)

    def within(self, place: str, command: Sequence[str]) -> list[str]:
        """Return the command as one that runs on the hub, or on a host, in a process that is the host."""
        enter = ["nsenter", f"--net=/proc/{self.holders[place]}/ns/net"]
        if place == "hub":
            return [*enter, *command]
        named = ["sh", "-c", 'hostname "$0" && exec "$@"', place, *command]
        return [*enter, "unshare", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", *named]

    def cut(self, host: str, server: str) -> None:
        """Let every packet of the server to the host vanish."""
        if (host, server) not in self.cuts:
            self.cuts.add((host, server))
            self._rule("add", host, server)

    def mend(self, host: str, server: str) -> None:
        if (host, server) in self.cuts:
            self.cuts.discard((host, server))
            self._rule("del", host, server)

    def plug(self, host: str, *, out: bool = False) -> None:
        """Connect the host, or pull its plug: nobody hears from it any more, not even that its processes end."""
        self._ip("link", "set", "dev", f"to-{host}", "down" if out else "up")

    def _rule(self, act: str, host: str, server: str) -> None:
        self._ip("rule", act, "from", self.addresses[server], "to", self.addresses[host], "blackhole")

    def _ip(self, *words: str, at: str = "hub") -> None:
        run(["nsenter", f"--net=/proc/{self.holders[at]}/ns/net", "ip", *words])

    def build(self, hosts: Sequence[str]) -> None:
        """Join the namespaces by a bridge in the hub, to which this machine is connected, too."""
        self._ip("link", "set", "dev", "lo", "up")
        self._ip("link", "add", "name", "br0", "type", "bridge")
        self._ip("link", "set", "dev", "br0", "up")
        for server in SERVERS:
            self._ip("addr", "add", f"{self.addresses[server]}/24", "dev", "br0")
        for host in hosts:
            self._join(f"to-{host}", "eth0", str(self.holders[host]))
            self._ip("link", "set", "dev", "lo", "up", at=host)
            self._ip("addr", "add", f"{self.addresses[host]}/24", "dev", "eth0", at=host)
            self._ip("link", "set", "dev", "eth0", "up", at=host)
        ours = f"chainbox{self.prefix.rpartition('.')[2]}"
        self._join("outside", ours, str(os.getpid()))
        run(["ip", "addr", "add", f"{self.prefix}.{OUTSIDE}/24", "dev", ours])
        run(["ip", "link", "set", "dev", ours, "up"])

    def _join(self, hubs: str, theirs: str, process: str) -> None:
        self._ip("link", "add", "name", hubs, "type", "veth", "peer", "name", theirs, "netns", process)
        self._ip("link", "set", "dev", hubs, "master", "br0", "up")


@contextmanager
def network(hosts: Sequence[str], folder: Path) -> Iterator[Network]:
    """Make the network of a hub and these hosts until the block ends. Raises ServiceError."""
    prefix = f"198.18.{secrets.randbelow(256)}"  # addresses for measurements, which no real network has
    addresses = {name: f"{prefix}.{number}" for name, number in SERVERS.items()}
    addresses |= {name: f"{prefix}.{number}" for number, name in enumerate(hosts, FIRST_HOST)}
    with ExitStack() as stack:
        holders = {}
        for name in ("hub", *hosts):
            command = ["unshare", "--net", "sleep", "infinity"]
            holders[name] = stack.enter_context(child(command, folder / f"{name}.network")).pid
        ours = os.stat("/proc/self/ns/net").st_ino
        if not wait_until(lambda: all(_inode(pid) not in (0, ours) for pid in holders.values())):
            raise ServiceError("the namespaces of the hosts were not made")
        made = Network(prefix, holders, addresses)
        made.build(hosts)
        yield made


def _inode(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino
    except OSError:
        return 0


def run(command: Sequence[str]) -> str:
    """Run a program and return what it says. Raises ServiceError with its words if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServiceError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout
