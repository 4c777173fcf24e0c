"""A mail server on this machine, which takes mail by SMTP or answers it with an error."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

TAKEN = "250 OK"


@dataclass
class MailServer:
    """The mails that were taken, and the answers to the next ones in the place of taking them."""

    port: int = 0
    mails: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """Run the server while the block lasts."""
    told = MailServer()

    class Session(StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 twin")
            while line := self.rfile.readline().decode().strip():
                command = line[:4].upper()
                if command == "DATA":
                    self._say("354 go on")
                    self._take()
                elif command == "QUIT":
                    self._say("221 bye")
                    return
                else:
                    self._say(TAKEN)

        def _take(self) -> None:
            lines = []
            while (line := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                lines.append(line)
            answer = told.answers.pop(0) if told.answers else TAKEN
            if answer == TAKEN:
                told.mails.append("\n".join(lines))
            self._say(answer)

        def _say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

    with ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        told.port = server.server_address[1]
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield told
        server.shutdown()
        thread.join()
