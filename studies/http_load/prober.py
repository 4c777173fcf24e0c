"""Asks /healthz of a port again and again, each time on a new connection: `python prober.py PORT TIMES GAP_SECONDS`.

Prints the seconds of each answer as JSON. A process of its own, which waits for none of the load's threads.
"""

import json
import socket
import sys
import time

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
LONGEST_SECONDS = 60.0


def ask(port: int) -> float:
    """Return the seconds until the whole answer was there. Raises OSError if it is not 200."""
    begun = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port), timeout=LONGEST_SECONDS) as link:
        link.sendall(REQUEST)
        answer = b""
        while b"ok\n" not in answer:
            part = link.recv(1000)
            if not part:
                raise OSError(f"/healthz was answered {answer!r}")
            answer += part
    return time.perf_counter() - begun


def main(port: int, times: int, gap: float) -> None:
    seconds = []
    for _ in range(times):
        seconds.append(ask(port))
        time.sleep(gap)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
