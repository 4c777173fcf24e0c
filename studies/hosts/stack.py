"""A service on several hosts, each a process family with its own network, name, folders and clock."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import boto3
import redis

from studies.faults.stack import Stack, database_answers, prepare_folder, server_of
from studies.hosts.network import Network, network
from studies.servers import Server, answers, supervised
from tests.support.services import DURABLE, make_cluster, postgres_program

WEB, JOBS = ("web1", "web2"), ("jobs1", "jobs2", "jobs3")
PORT = 8000
"""The port of each web host; they have addresses of their own."""
BUCKET, KEY = "pictures", "of-the-twin"
QUEUES = 4
"""The processes of a host for jobs that wait for messages: one for each queue."""
CLOCK = "SELECT holder FROM runtime_jobrun WHERE key = 'clock' AND held_until > clock_timestamp()"


@dataclass
class Hosts(Stack):
    """A service that runs on several hosts. `servers` are these, and the database, Redis and the bucket."""

    network: Network = field(kw_only=True)

    @property
    def web(self) -> list[str]:
        """The names of the web hosts."""
        return [name for name in WEB if name in self.servers]

    @property
    def jobs(self) -> list[str]:
        """The names of the hosts for jobs."""
        return [name for name in JOBS if name in self.servers]

    def address(self, host: str) -> str:
        """Return the address of a web host, as a balancer would know it."""
        return f"http://{self.network.addresses[host]}:{PORT}"

    def holder(self) -> str:
        """Return the host whose clock sends the jobs; empty: none does, or the database does not say it."""
        rows = self.ask(CLOCK)
        return str(rows[0][0]).partition(" ")[0] if rows else ""

    def works(self, host: str) -> bool:
        """Tell whether a web host says that all of its parts work, or all runners of a host wait for messages."""
        if host in self.web:
            return answers(PORT, self.network.addresses[host], check="readyz")
        try:
            with redis.Redis.from_url(self.env["REDIS_URL"], socket_timeout=2) as link:
                clients = [one for one in link.client_list() if one["addr"].startswith(self._from(host))]
        except (redis.RedisError, OSError):
            return False
        alive = [client for client in clients if client["cmd"] == "brpop" and int(client["idle"]) < 5]
        linked = self.ask(
            "SELECT count(*) FROM pg_stat_activity"
            f" WHERE client_addr = '{self.network.addresses[host]}' AND state_change > now() - interval '10 s'"
        )
        return len(alive) >= QUEUES and bool(linked and linked[0][0])

    def _from(self, host: str) -> str:
        return f"{self.network.addresses[host]}:"


@contextmanager
def running(root: Path, folder: Path, *, jobs: Sequence[str] = JOBS, web_processes: int = 2) -> Iterator[Hosts]:
    """Run the service on two web hosts and the hosts for jobs until the block ends.

    Raises ServerError for one that does not start, and ServiceError if this machine makes no network.
    """
    env = prepare_folder(folder)
    with ExitStack() as exit_stack:
        made = exit_stack.enter_context(network([*WEB, *jobs], folder))
        stack = Hosts(root, folder, env, PORT, {}, network=made)
        _add(stack, exit_stack, [_database(stack), _redis(stack), _bucket(stack)])
        _first_steps(stack)
        _add(stack, exit_stack, [_host(stack, name, web_processes) for name in (*WEB, *jobs)])
        yield stack


def _add(stack: Hosts, exit_stack: ExitStack, servers: Sequence[Server]) -> None:
    for server in servers:
        server.start()
    exit_stack.enter_context(supervised(servers))
    stack.servers |= {server.name: server for server in servers}
    for server in servers:
        server.wait_ready()


def _database(stack: Hosts) -> Server:
    folder, address = stack.folder / "postgres", stack.network.addresses["database"]
    user = make_cluster(folder)
    with (folder / "data" / "pg_hba.conf").open("a") as rules:
        rules.write(f"host all all {stack.network.prefix}.0/24 trust\n")
    values = [f"listen_addresses={address}", f"unix_socket_directories={folder}", "max_connections=200", *DURABLE]
    program = [postgres_program("postgres"), "-D", str(folder / "data")]
    program += [part for value in values for part in ("-c", value)]
    as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    stack.env["DATABASE_URL"] = f"postgres://postgres@{address}:5432/postgres"
    return server_of(
        stack, "database", stack.network.within("hub", [*as_user, *program]), lambda: database_answers(stack)
    )


def _redis(stack: Hosts) -> Server:
    address = stack.network.addresses["redis"]
    stack.env["REDIS_URL"] = url = f"redis://{address}:6379/0"
    options = ["--bind", address, "--protected-mode", "no", "--save", "", "--dir", str(stack.folder)]

    def ready() -> bool:
        try:
            with redis.Redis.from_url(url, socket_timeout=1) as link:
                return bool(link.ping())
        except (redis.RedisError, OSError):
            return False

    return server_of(stack, "redis", stack.network.within("hub", ["redis-server", *options]), ready)


def _bucket(stack: Hosts) -> Server:
    address = stack.network.addresses["bucket"]
    keys = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": KEY, "AWS_EC2_METADATA_DISABLED": "true"}
    where = {"S3_BUCKET": BUCKET, "S3_REGION": "us-east-1", "S3_ENDPOINT_URL": f"http://{address}:9000"}
    stack.env |= keys | where
    command = stack.network.within("hub", [sys.executable, "-m", "studies.hosts.bucket", address, "9000"])
    return server_of(stack, "bucket", command, lambda: answers(9000, address, check="moto-api/data.json"))


def _first_steps(stack: Hosts) -> None:
    """Make the tables and the bucket."""
    stack.env |= {"SECRET_KEY": "only-for-a-service-that-is-thrown-away"}
    stack.env["ALLOWED_HOSTS"] = ",".join(stack.network.addresses[name] for name in WEB)
    stack.command("manage.py", "migrate", "--verbosity", "0")
    keys = {"aws_access_key_id": KEY, "aws_secret_access_key": KEY, "region_name": stack.env["S3_REGION"]}
    client = boto3.client("s3", endpoint_url=stack.env["S3_ENDPOINT_URL"], **keys)
    client.create_bucket(Bucket=BUCKET)
    client.close()


def _host(stack: Hosts, name: str, web_processes: int) -> Server:
    """Return a host: whatever ends it ends all of its processes at once."""
    folder = stack.folder / name
    (folder / "temporary").mkdir(parents=True)
    own = {
        "CHAINBOX_DATA": str(folder / "data"),
        "TMPDIR": str(folder / "temporary"),
        "BIND": f"{stack.network.addresses[name]}:{PORT}",
        "WEB_PROCESSES": str(web_processes),
        "WORKER_PROCESSES": str(QUEUES),
    }
    script = str(stack.root / "scripts" / "process.sh")
    command = stack.network.within(name, ["sh", script, "web" if name in WEB else "jobs"])
    host = server_of(stack, name, command, lambda: stack.works(name), **own)
    host.stop_signal = signal.SIGKILL
    return host
