"""Calls to a model server: faults that pass, replies that are paid, refusals that need the requester."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from colleague.coordinates import Frame
from colleague.errors import BudgetSpent, ColleagueError, NoAnswer, Stopped
from colleague.model import Model
from colleague.pictures import Sent
from colleague.questions import schema
from colleague.replies import Replies
from colleague.retry import FIRST_TRIES, LONGEST_ASKED, retried, seconds_in
from colleague.spending import Limits, Spending
from tests.twins.chat import ChatTwin, Fault
from tests.twins.chat.faults import PAID, PASSING
from tests.twins.chat.twin import KEY

PICTURE = Sent(b"a picture", Frame((2, 2), (2, 2)))
TASK = "box_quality"
Make = Callable[..., Model]


@pytest.fixture
def twin() -> Any:
    with ChatTwin(lambda request: '{"answer": "good"}') as running:
        yield running


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def make(twin: ChatTwin, slept: list[float], tmp_path: Path) -> Iterator[Make]:
    made_ones: list[Model] = []

    def made(**other: Any) -> Model:
        spending = Spending(other.pop("limits", Limits()))
        replies = Replies(tmp_path / other.pop("folder", "work"))
        values = {"server": twin.url, "name": "twin", "key": KEY, "sleep": slept.append, **other}
        made_ones.append(Model(**values, replies=replies, spending=spending))
        return made_ones[-1]

    yield made
    for one in made_ones:
        one.close()


def ask(model: Model, text: str = "Good?") -> str:
    return model.ask(TASK, text, PICTURE, schema(TASK)).content


@pytest.mark.slow
def test_a_request_has_the_picture_the_schema_and_no_chance(make: Make, twin: ChatTwin) -> None:
    assert ask(make(seed=7)) == '{"answer": "good"}'
    (_, body), *rest = twin.requests
    assert not rest and body["seed"] == 7 and body["temperature"] == 0 and body["logprobs"] is True
    assert body["response_format"]["json_schema"]["schema"]["properties"]["answer"]["enum"] == ["good", "bad"]
    picture, text = body["messages"][0]["content"]
    assert picture["image_url"]["url"] == PICTURE.data_url and text["text"] == "Good?"


def test_parameters_that_a_server_refuses_are_left_out(make: Make, twin: ChatTwin) -> None:
    ask(make(without=["seed", "logprobs", "response_format"]))
    assert set(twin.requests[0][1]) == {"model", "messages", "temperature", "max_tokens"}


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_costs_another_try(make: Make, twin: ChatTwin, slept: list[float], fault: Fault) -> None:
    model = make()
    twin.faults.extend([fault, fault])
    assert ask(model) == '{"answer": "good"}'
    assert len(twin.requests) == 3 and len(slept) == 2 and len(model.replies) == 1
    assert model.spending.calls == 3 and model.spending.tokens_in == 1000


def test_a_server_that_is_never_well_ends_the_run_and_soon_if_it_never_was(make: Make, twin: ChatTwin) -> None:
    twin.faults.extend([Fault.BROKEN] * 20)
    model = make()
    with pytest.raises(ColleagueError, match=r"answers 500: 500\. Go on later by the same command"):
        ask(model)
    assert len(twin.requests) == FIRST_TRIES
    assert len(model.replies) == 0


def test_a_connection_that_is_refused_names_the_server(make: Make) -> None:
    with pytest.raises(ColleagueError, match=r"http://127\.0\.0\.1:9/v1 failed 3 times .*refused"):
        ask(make(server="http://127.0.0.1:9/v1"))


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
    model.ask(TASK, "Good?", Sent(b"another", PICTURE.frame), schema(TASK))
    model.replies.close()
    for other in ({"seed": 1}, {"name": "another"}):
        again = make(**other)
        ask(again)
        again.replies.close()
    assert len({digest for digest, _ in twin.requests}) == 5


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"key": "wrong"}, r"answers 401: Incorrect API key provided\. .*COLLEAGUE_MODEL_KEY"),
        ({"server": "{}/v2"}, r"answers 404: Invalid URL .* See --server"),
        ({"seed": "seven"}, r"answers 400: .*--without"),
    ],
)
def test_a_refusal_says_what_to_do_and_is_not_repeated(
    make: Make, twin: ChatTwin, slept: list[float], other: dict[str, str], said: str
) -> None:
    with pytest.raises(ColleagueError, match=said):
        ask(make(**{name: value.replace("{}", twin.url) for name, value in other.items()}))
    assert slept == []


def test_no_call_is_made_beyond_the_budget(make: Make, twin: ChatTwin) -> None:
    model = make(limits=Limits(calls=1))
    ask(model)
    with pytest.raises(BudgetSpent):
        ask(model, "Bad?")
    assert ask(model) == '{"answer": "good"}' and len(twin.requests) == 1


def test_a_server_that_asks_for_time_gets_it() -> None:
    slept: list[float] = []
    calls = iter([TimeoutError("20"), TimeoutError("10000"), None])

    def call() -> str:
        if (error := next(calls)) is not None:
            raise error
        return "done"

    assert retried(call, lambda error: float(str(error)), sleep=slept.append) == "done"
    assert slept == [20, LONGEST_ASKED]


def test_waits_double_where_the_server_says_nothing() -> None:
    slept: list[float] = []

    def call() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        retried(call, lambda error: 0.0, sleep=slept.append, tries=5)
    assert [0.25 <= one / 2**place <= 0.5 for place, one in enumerate(slept)] == [True] * 4


def test_a_run_that_ends_waits_no_longer_and_tries_no_more() -> None:
    calls: list[str] = []

    def call() -> None:
        calls.append("a call")
        raise TimeoutError

    with pytest.raises(Stopped):
        retried(call, lambda error: LONGEST_ASKED, sleep=lambda seconds: True)
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(None, 0), ("7", 7), ("0.5", 0.5), ("-3", 0), ("soon", 0), ("Fri, 01 Jan 2010 00:00:00 GMT", 0)],
)
def test_the_header_retry_after_is_a_number_or_a_date(header: str | None, seconds: float) -> None:
    assert seconds_in(header) == seconds


def test_replies_come_without_scores_where_the_server_tells_none(make: Make, twin: ChatTwin) -> None:
    twin.logprobs = False
    assert make().ask(TASK, "Good?", PICTURE, schema(TASK)).tokens == ()
