"""Calls to a model server: faults, paid replies, budgets and scores."""

import gzip
import json
import math
import re
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clients.annotator.asker import Asker, of_boxes, of_choice
from clients.annotator.calls import FIRST_TRIES, LONGEST_ASKED, retried, seconds_in
from clients.annotator.coordinates import Form, PictureSizes
from clients.annotator.errors import AnnotatorError, BudgetSpent, CallStopped, NoAnswer, WrongUse, shown
from clients.annotator.model import Limits, ServedModel, SpendingLimit, _most_tokens_in
from clients.annotator.pictures import Sent
from clients.annotator.propose import ByModel
from clients.annotator.questions import Prompts, read_answer, schema
from clients.annotator.replies import ModelReply, Replies
from tests.support.table import case, row
from tests.twins.chat import ChatTwin, Fault
from tests.twins.chat.faults import PAID, PASSING
from tests.twins.chat.twin import KEY

PICTURE = Sent(b"a picture", PictureSizes((2, 2), (2, 2)))
TASK = "box_quality"
Make = Callable[..., ServedModel]


@pytest.fixture
def twin() -> Any:
    with ChatTwin(lambda request: '{"answer": "good"}') as running:
        yield running


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def make(twin: ChatTwin, slept: list[float], tmp_path: Path) -> Iterator[Make]:
    made_ones: list[ServedModel] = []

    def made(**other: Any) -> ServedModel:
        spending = SpendingLimit(other.pop("limits", Limits()))
        replies = Replies(tmp_path / other.pop("folder", "work"))
        values = {"server": twin.url, "name": "twin", "key": KEY, "sleep": slept.append, **other}
        made_ones.append(ServedModel(**values, replies=replies, spending=spending))
        return made_ones[-1]

    yield made
    for one in made_ones:
        one.close()


def whole(reply: ModelReply) -> ModelReply:
    return reply


def ask(model: ServedModel, text: str = "Good?") -> str:
    return model.ask(TASK, text, PICTURE, schema(TASK), whole).content


@pytest.mark.slow
def test_a_request_has_the_picture_the_schema_and_no_chance(make: Make, twin: ChatTwin) -> None:
    assert ask(make(seed=7)) == '{"answer": "good"}'
    (_, body), *rest = twin.requests
    assert not rest and body["seed"] == 7 and body["temperature"] == 0 and body["logprobs"] is True
    assert body["response_format"]["json_schema"]["schema"]["properties"]["answer"]["enum"] == ["good", "bad"]
    picture, text = body["messages"][0]["content"]
    assert picture["image_url"]["url"] == PICTURE.data_url and text["text"] == "Good?"


def test_parameters_that_a_server_refuses_and_scores_it_does_not_tell_are_left_out(make: Make, twin: ChatTwin) -> None:
    twin.logprobs = False
    model = make(without=["seed", "logprobs", "response_format"])
    assert model.ask(TASK, "Good?", PICTURE, schema(TASK), whole).tokens == ()
    assert set(twin.requests[0][1]) == {"model", "messages", "temperature", "max_tokens"}


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_costs_another_try(make: Make, twin: ChatTwin, slept: list[float], fault: Fault) -> None:
    model = make()
    twin.faults.extend([fault, fault])
    assert ask(model) == '{"answer": "good"}'
    assert len(twin.requests) == 3 and len(slept) == 2 and len(model.replies) == 1
    assert model.spending.calls == 3
    # The server made a reply that did not arrive, and did not tell what it cost.
    unknown = 0 if fault in (Fault.BUSY, Fault.BROKEN, Fault.OVERLOADED) else 2 * _most_tokens_in("Good?", PICTURE)
    assert model.spending.tokens_in == 1000 + unknown


def test_a_server_that_is_never_well_ends_the_run_and_soon_if_it_never_was_and_one_that_is_not_there_is_named(
    make: Make, twin: ChatTwin
) -> None:
    twin.faults.extend([Fault.BROKEN] * 20)
    model = make()
    with pytest.raises(AnnotatorError, match=r"answers 500: 500\. Go on later by the same command"):
        ask(model)
    assert len(twin.requests) == FIRST_TRIES and len(model.replies) == 0
    with pytest.raises(AnnotatorError, match=r"http://127\.0\.0\.1:9/v1 failed 3 times .*refused"):
        ask(make(server="http://127.0.0.1:9/v1", folder="other"))


@pytest.mark.parametrize("fault", PAID)
def test_a_reply_that_is_no_answer_is_paid_once(make: Make, twin: ChatTwin, fault: Fault) -> None:
    twin.faults.append(fault)
    model = make()
    for _ in range(2):
        try:
            said = ask(model)
        except NoAnswer as reason:
            said = str(reason)
        assert said != '{"answer": "good"}'
    assert len(twin.requests) == 1


def test_a_reply_that_was_stored_is_not_paid_by_the_next_process(make: Make, twin: ChatTwin) -> None:
    first = make()
    ask(first)
    first.replies.close()
    assert ask(make(server="http://127.0.0.1:9/v1")) == '{"answer": "good"}'
    assert len(twin.requests) == 1


def test_another_text_picture_model_or_seed_is_another_request(make: Make, twin: ChatTwin) -> None:
    model = make()
    ask(model)
    ask(model, "Bad?")
    model.ask(TASK, "Good?", Sent(b"another", PICTURE.frame), schema(TASK), whole)
    model.replies.close()
    for other in ({"seed": 1}, {"name": "another"}):
        again = make(**other)
        ask(again)
        again.replies.close()
    assert len({digest for digest, _ in twin.requests}) == 5


@row({"key": "wrong"}, r"answers 401: Incorrect API key provided\. .*ANNOTATOR_MODEL_KEY")
@row({"server": "{}/v2"}, r"answers 404: Invalid URL .* See --server")
@row({"seed": "seven"}, r"answers 400: .*--without")
def test_a_refusal_says_what_to_do_and_is_not_repeated(
    other: dict[str, str], said: str, make: Make, twin: ChatTwin, slept: list[float]
) -> None:
    with pytest.raises(AnnotatorError, match=said):
        ask(make(**{name: value.replace("{}", twin.url) for name, value in other.items()}))
    assert slept == []


CAP = Limits(money=0.05, price_in=1.0, price_out=2.0)
QUIET = threading.Event()
SAID: dict[str, Any] = {"role": "assistant", "content": '{"answer": "good"}'}
USAGE: dict[str, Any] = {"prompt_tokens": 1000, "completion_tokens": 5}


def completion(content: Any = SAID["content"], *, usage: Any = USAGE, tokens: Any = None, **choice: Any) -> bytes:
    told = {"message": {**SAID, "content": content}, "finish_reason": "stop", "logprobs": {"content": tokens}, **choice}
    return json.dumps({"choices": [told], "usage": usage}).encode()


def reply(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def refused(said: Any, status: str = "400 Bad Request", *headers: str) -> bytes:
    return reply(json.dumps(said).encode(), *headers, status=status)


@dataclass
class Slowly:
    """Parts that come now and then, for ever: the client gives up."""

    first: bytes
    rest: bytes

    def __iter__(self) -> Iterator[bytes]:
        yield self.first
        while not QUIET.wait(0.01):
            yield self.rest


ONE_TOKEN = {"token": SAID["content"], "logprob": -0.1}
GOOD, CANNOT_BE_READ, FAILED = '{"answer": "good"}', "cannot be read", "failed 3 times"


class Hostile(socketserver.StreamRequestHandler):
    """Reads a request, and sends the bytes that a test prepared."""

    def handle(self) -> None:
        server: Any = self.server
        headers = iter(self.rfile.readline, b"\r\n")
        length = next(int(line.split(b":")[1]) for line in headers if line.lower().startswith(b"content-length"))
        for _ in headers:
            pass
        self.rfile.read(length)
        server.requests += 1
        with suppress(OSError):
            for part in server.sends:
                self.wfile.write(part)
                server.sent += len(part)


@pytest.fixture
def hostile() -> Iterator[Any]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Hostile) as server:
        server.daemon_threads, server.block_on_close = True, False
        vars(server).update(requests=0, sent=0, url=f"http://127.0.0.1:{server.server_address[1]}")
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


@case("an open fence and blanks", completion("```" + " " * 2000), CANNOT_BE_READ, 5)
@case("words for ever", completion("x" * 1_000_000), CANNOT_BE_READ, 5)
@case("half a character", completion('{"answer": "good", "why": "\ud83d"}'), None, 6)
@case("a half character alone", completion("\udc80"), CANNOT_BE_READ, 5)
@case("a list for content", completion([{"type": "text", "text": GOOD}]), CANNOT_BE_READ, 5)
@case("an object for content", completion({"answer": "good"}), CANNOT_BE_READ, 5)
@case("a number for content", completion(7), CANNOT_BE_READ, 5)
@case("two answers", completion(GOOD * 2), CANNOT_BE_READ, 5)
@case("replies that are cut off", completion(finish_reason="length"), CANNOT_BE_READ, 5)
@case("a list for the reason of the end", completion(finish_reason=["stop"]), None, 6)
@case("a number for a refusal", completion(message={**SAID, "refusal": 7}), None, 6)
@case("nulls for usage", completion(usage={"prompt_tokens": None, "completion_tokens": None}), None, 6)
@case("no usage", completion(usage=None), None, 6)
@case("a list for usage", completion(usage=[1000, 5]), None, 6)
@case("less than no tokens", completion(usage={"prompt_tokens": -(10**9), "completion_tokens": -5}), None, 6)
@case("true for tokens", completion(usage={"prompt_tokens": True, "completion_tokens": "5"}), None, 6)
@case("NaN for tokens", completion(usage={"prompt_tokens": math.nan, "completion_tokens": math.inf}), None, 6)
@case("tokens without end", completion(usage={"prompt_tokens": 10**400, "completion_tokens": 5}), None, 6)
@case("dear tokens", completion(usage={"prompt_tokens": 20_000, "completion_tokens": 5}), "budget of 0.05 money", 2)
@case("NaN for a probability", completion(tokens=[{**ONE_TOKEN, "logprob": math.nan}]), None, 6)
@case("a probability above 1", completion(tokens=[{**ONE_TOKEN, "logprob": 5}]), None, 6)
@case("a number for a token", completion(tokens=[{**ONE_TOKEN, "token": 7}]), None, 6)
@case("half a character for a token", completion(tokens=[{**ONE_TOKEN, "token": "\ud83d"}]), None, 6)
@case("words for tokens", completion(tokens="good"), None, 6)
@case("a list for probabilities", completion(logprobs=[ONE_TOKEN]), None, 6)
@case("no choices", b'{"choices": []}', FAILED, 3)
@case("an object for choices", b'{"choices": {"message": {}}}', FAILED, 3)
@case("null for a choice", b'{"choices": [null]}', FAILED, 3)
@case("words for a message", completion(message="good"), FAILED, 3)
@case("a list for a completion", b"[1]", FAILED, 3)
@case("brackets without end", b"[" * 100_000, FAILED, 3)
@case("no UTF-8", b'{"choices": "\xff"}', FAILED, 3)
@case("a page", b"<html>Hello</html>", FAILED, 3)
@case("nothing", b"", FAILED, 3)
@case("a reply that ends too soon", reply(completion(), length=9999), FAILED, 3)
@case("no HTTP", b"good\r\n\r\n", FAILED, 3)
@case("a connection that ends", [b""], FAILED, 3)
@case("compressed", reply(gzip.compress(bytes(1 << 24)), "Content-Encoding: gzip"), FAILED, 3)
@case("a body without end", Slowly(reply(b"", length=10**12), bytes(1 << 20)), FAILED, 3)
@case("a byte now and then", Slowly(reply(b"", length=10**6), b" "), FAILED, 3)
@case("headers that never end", Slowly(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"), FAILED, 3)
@case("promises", Slowly(b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"), FAILED, 3)
@case("another place", refused({}, "307 Moved", "Location: http://127.0.0.1:9/v2"), "leads to http://127.0.0.1:9/v2", 1)
@case("escapes", refused({"error": {"message": "\x1b]0;x\x07"}}), r"answers 400: \\u001b\]0;x\\u0007", 1)
@case("a list for an error", refused([1]), "answers 400: 400", 1)
@case("words for an error", refused({"error": "no"}), "answers 400: 400", 1)
@case("a list for a message", refused({"error": {"message": [1]}}), "answers 400: 400", 1)
@case("wait for the year 1", refused({}, "503 Busy", "Retry-After: 1 Jan 0001 00:00:00 -0000"), "answers 503", 3)
@case("wait for words", refused({}, "429 Busy", "Retry-After: 1 2 3 4 5 6 7"), "answers 429", 3)
def test_a_model_server_that_sends_anything_costs_a_skip_or_a_line_and_never_more_than_the_budget(
    sends: Any, said: str | None, calls: int, hostile: Any, make: Make
) -> None:
    whole = isinstance(sends, bytes) and not sends.startswith((b"HTTP", b"good"))
    hostile.sends = [reply(sends)] if whole else [sends] if isinstance(sends, bytes) else sends
    model, skipped = make(server=hostile.url, limits=CAP, timeout=0.2 if isinstance(sends, Slowly) else 60.0), 0

    def given(reply: ModelReply) -> Any:
        found = read_answer(TASK, reply.content, Form.PIXELS, PICTURE.frame)
        score = of_choice(reply.content, reply.tokens, (0, len(reply.content)))
        assert score is None or 0 <= score <= 1
        return found

    def answer_six() -> None:
        nonlocal skipped
        for number in range(6):
            try:
                assert model.ask(TASK, f"{number}: good?", PICTURE, schema(TASK), given) == "good"
            except NoAnswer:
                skipped += 1

    if said is None:
        answer_six()
        assert skipped == 0
    else:
        with pytest.raises(AnnotatorError, match=said) as ended:
            answer_six()
        assert shown(str(ended.value)) == str(ended.value)
    assert hostile.requests == calls and hostile.sent < 64 << 20
    assert 0 <= model.spending.money <= 0.05 and str(model.spending)
    model.replies.close()
    again = SpendingLimit(CAP)
    with closing(Replies(model.replies.path.parent)) as kept:
        for one in kept:
            again.count(one.tokens_in, one.tokens_out)
    assert again.money == pytest.approx(model.spending.money)


def test_no_call_is_made_beyond_the_budget(make: Make, twin: ChatTwin) -> None:
    model = make(limits=Limits(calls=1))
    ask(model)
    with pytest.raises(BudgetSpent):
        ask(model, "Bad?")
    assert ask(model) == '{"answer": "good"}' and len(twin.requests) == 1


def test_a_server_that_asks_for_time_gets_it() -> None:
    slept: list[float] = []
    call = Mock(side_effect=[TimeoutError("20"), TimeoutError("10000"), "done"])
    assert retried(call, lambda error: float(str(error)), sleep=slept.append) == "done"
    assert slept == [20, LONGEST_ASKED]


def test_waits_double_where_the_server_says_nothing() -> None:
    slept: list[float] = []
    with pytest.raises(TimeoutError):
        retried(Mock(side_effect=TimeoutError), lambda error: 0.0, sleep=slept.append, tries=5)
    assert [0.25 <= one / 2**place <= 0.5 for place, one in enumerate(slept)] == [True] * 4


def test_a_run_that_ends_waits_no_longer_and_tries_no_more() -> None:
    call = Mock(side_effect=TimeoutError)
    with pytest.raises(CallStopped):
        retried(call, lambda error: LONGEST_ASKED, sleep=lambda seconds: True)
    assert call.call_count == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(None, 0), ("7", 7), ("0.5", 0.5), ("-3", 0), ("soon", 0), ("Fri, 01 Jan 2010 00:00:00 GMT", 0)],
)
def test_the_header_retry_after_is_a_number_or_a_date(header: str | None, seconds: float) -> None:
    assert seconds_in(header) == seconds


REPLY = ModelReply('{"answer": "größer"}', tokens_in=100, tokens_out=5, tokens=(("grö", -0.5), ("ßer", 0.0)))


def test_a_reply_outlives_a_kill_and_a_line_that_a_kill_cut_off_is_passed_over_and_written_over(tmp_path: Path) -> None:
    first = Replies(tmp_path / "work")
    first.keep("a", REPLY)
    assert json.loads(first.path.read_text())["content"] == REPLY.content
    first.close()
    with first.path.open("ab") as file:
        file.write(b'{"digest": "b", "cont')
    second = Replies(tmp_path / "work")
    assert second.get("a") == REPLY and len(second) == 1
    second.keep("c", REPLY)
    second.close()
    assert [json.loads(line)["digest"] for line in first.path.read_text().splitlines()] == ["a", "c"]


def test_two_processes_do_not_work_in_one_folder(tmp_path: Path) -> None:
    first = Replies(tmp_path)
    with pytest.raises(WrongUse, match="Another process works in"):
        Replies(tmp_path)
    first.close()
    Replies(tmp_path).close()


@pytest.mark.parametrize("line", ["{}", "[]", "hello", '{"digest": "a", "tokens": [1]}'])
def test_a_file_of_something_else_and_a_folder_that_cannot_be_made_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "replies.jsonl").write_text(line + "\n")
    with pytest.raises(WrongUse, match="is no file of replies"):
        Replies(tmp_path)
    with pytest.raises(WrongUse, match="cannot be used"):
        Replies(tmp_path / "replies.jsonl")


def test_the_budget_of_calls_is_never_passed_and_what_earlier_runs_spent_counts() -> None:
    spending, later = SpendingLimit(Limits(calls=2)), SpendingLimit(Limits(calls=1))
    spending.begin()
    spending.begin()
    later.count(10, 1)
    for one, calls in ((spending, 2), (later, 1)):
        with pytest.raises(BudgetSpent, match=rf"budget of {calls} calls is spent: raise --most-calls"):
            one.begin()


def test_calls_in_flight_count_as_the_dearest_so_far() -> None:
    spending = SpendingLimit(Limits(tokens=299))
    spending.count(90, 10)
    spending.begin()
    with pytest.raises(BudgetSpent, match="299 tokens"):
        spending.begin()
    spending.end(0, 0)
    spending.begin()


def test_money_follows_from_the_prices_of_a_million_tokens() -> None:
    spending = SpendingLimit(Limits(money=0.04, price_in=100, price_out=2000))
    spending.count(90, 2)
    assert spending.money == pytest.approx(0.013) and "0.01 in money" in str(spending)
    spending.begin()
    spending.begin()
    with pytest.raises(BudgetSpent, match="--most-money"):
        spending.begin()


HALF, SURE = math.log(0.5), 0.0
SENT = Sent(b"a picture", PictureSizes((100, 100), (100, 100)))
QUESTION = {"image": {}, "boxes": [], "new_box": [1, 2, 3, 4], "captions": [], "other_captions": [], "language": "en"}


def says(thought: str, said: str) -> Any:
    """Return a model that is half as sure of each word of its thought as of what it says."""
    tokens = [*((one, HALF) for one in re.findall(r"\w+|\W", thought)), (said, SURE)]
    reply = ModelReply(thought + said, tokens=tuple(tokens))
    return SimpleNamespace(ask=lambda *asked: asked[-1](reply))


def test_the_score_of_a_choice_is_the_product_over_its_tokens_alone() -> None:
    tokens = [('{"', HALF), ("answer", HALF), ('": "', HALF), ("more", HALF), (" needed", HALF), ('"}', HALF)]
    content = "".join(token for token, _ in tokens)
    assert of_choice(content, tokens, (0, len(content))) == pytest.approx(0.25)


def test_the_score_of_a_box_is_the_mean_over_its_tokens() -> None:
    tokens = [("[[", SURE), ("1,2,", HALF), ("3,4", HALF), ("],", SURE), ("[5,6,7,8]", SURE), ("]", HALF)]
    content = "".join(token for token, _ in tokens)
    first, second = of_boxes(content, tokens, (0, len(content)))
    assert first == pytest.approx(0.5 ** (2 / 4)) and second == pytest.approx(1.0)


def test_there_is_no_score_where_the_server_tells_no_probabilities_or_tokens_and_text_differ() -> None:
    assert of_choice('{"answer": "good"}', [], (0, 18)) is None
    assert of_boxes("[1, 2, 3, 4]", [], (0, 12)) == [None]
    assert of_choice('{"answer": "good"}', [("good", HALF)], (0, 18)) is None


@row('<think>{"answer": "bad"}</think>')
@row('First {"answer": "bad"}, but then: ```json\n')
def test_the_score_of_a_choice_is_that_of_the_answer_that_is_read_and_not_of_the_thought(thought: str) -> None:
    said = '{"answer": "good"}' + ("\n```" if "```" in thought else "")
    pictures: Any = SimpleNamespace(sent=lambda *asked: SENT)
    given = Asker(says(thought, said), Prompts(), pictures, Form.PIXELS).ask("box_quality", QUESTION)
    assert (given.answer, given.score) == ("good", 1.0)


def test_the_scores_of_boxes_are_those_of_the_boxes_that_are_read() -> None:
    model = says(
        "<think>[9, 9, 12, 12] or [5, 6, 7, 8]?</think>", '{"phrases": [{"phrase": 1, "boxes": [[5, 6, 7, 8]]}]}'
    )
    pictures: Any = SimpleNamespace(sent=lambda image: SENT)
    image = {"language": "en", "captions": ["A man."], "phrases": [{"caption": 0, "text": "A man"}]}
    assert ByModel(model, Prompts(), pictures, Form.PIXELS).boxes(image) == [[((5, 6, 7, 8), 1.0)]]
