"""Calls to a model server: faults that pass, replies that are paid, refusals that need the requester.
Replies that were paid, kept over kills, and the budget that they count for.
Scores by the probabilities of tokens.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from colleague.asker import Asker
from colleague.coordinates import Form, Frame
from colleague.errors import BudgetSpent, ColleagueError, NoAnswer, Stopped, WrongUse
from colleague.model import Model
from colleague.pictures import Sent
from colleague.prompts import Prompts
from colleague.propose import ByModel
from colleague.questions import schema
from colleague.replies import Replies, Reply
from colleague.retry import FIRST_TRIES, LONGEST_ASKED, retried, seconds_in
from colleague.spending import Limits, Spending
from colleague.sureness import of_boxes, of_choice
from tests.support.table import row
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


def test_parameters_that_a_server_refuses_and_scores_it_does_not_tell_are_left_out(make: Make, twin: ChatTwin) -> None:
    twin.logprobs = False
    assert make(without=["seed", "logprobs", "response_format"]).ask(TASK, "Good?", PICTURE, schema(TASK)).tokens == ()
    assert set(twin.requests[0][1]) == {"model", "messages", "temperature", "max_tokens"}


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_costs_another_try(make: Make, twin: ChatTwin, slept: list[float], fault: Fault) -> None:
    model = make()
    twin.faults.extend([fault, fault])
    assert ask(model) == '{"answer": "good"}'
    assert len(twin.requests) == 3 and len(slept) == 2 and len(model.replies) == 1
    assert model.spending.calls == 3 and model.spending.tokens_in == 1000


def test_a_server_that_is_never_well_ends_the_run_and_soon_if_it_never_was_and_one_that_is_not_there_is_named(
    make: Make, twin: ChatTwin
) -> None:
    twin.faults.extend([Fault.BROKEN] * 20)
    model = make()
    with pytest.raises(ColleagueError, match=r"answers 500: 500\. Go on later by the same command"):
        ask(model)
    assert len(twin.requests) == FIRST_TRIES and len(model.replies) == 0
    with pytest.raises(ColleagueError, match=r"http://127\.0\.0\.1:9/v1 failed 3 times .*refused"):
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
    model.ask(TASK, "Good?", Sent(b"another", PICTURE.frame), schema(TASK))
    model.replies.close()
    for other in ({"seed": 1}, {"name": "another"}):
        again = make(**other)
        ask(again)
        again.replies.close()
    assert len({digest for digest, _ in twin.requests}) == 5


@row({"key": "wrong"}, r"answers 401: Incorrect API key provided\. .*COLLEAGUE_MODEL_KEY")
@row({"server": "{}/v2"}, r"answers 404: Invalid URL .* See --server")
@row({"seed": "seven"}, r"answers 400: .*--without")
def test_a_refusal_says_what_to_do_and_is_not_repeated(
    other: dict[str, str], said: str, make: Make, twin: ChatTwin, slept: list[float]
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
    with pytest.raises(Stopped):
        retried(call, lambda error: LONGEST_ASKED, sleep=lambda seconds: True)
    assert call.call_count == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(None, 0), ("7", 7), ("0.5", 0.5), ("-3", 0), ("soon", 0), ("Fri, 01 Jan 2010 00:00:00 GMT", 0)],
)
def test_the_header_retry_after_is_a_number_or_a_date(header: str | None, seconds: float) -> None:
    assert seconds_in(header) == seconds


REPLY = Reply('{"answer": "größer"}', tokens_in=100, tokens_out=5, tokens=(("grö", -0.5), ("ßer", 0.0)))


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
    spending, later = Spending(Limits(calls=2)), Spending(Limits(calls=1))
    spending.begin()
    spending.begin()
    later.count(10, 1)
    for one, calls in ((spending, 2), (later, 1)):
        with pytest.raises(BudgetSpent, match=rf"budget of {calls} calls is spent: raise --most-calls"):
            one.begin()


def test_calls_in_flight_count_as_the_dearest_so_far() -> None:
    spending = Spending(Limits(tokens=299))
    spending.count(90, 10)
    spending.begin()
    with pytest.raises(BudgetSpent, match="299 tokens"):
        spending.begin()
    spending.end(0, 0)
    spending.begin()


def test_money_follows_from_the_prices_of_a_million_tokens() -> None:
    spending = Spending(Limits(money=0.04, price_in=100, price_out=2000))
    spending.count(90, 2)
    assert spending.money == pytest.approx(0.013) and "0.01 in money" in str(spending)
    spending.begin()
    spending.begin()
    with pytest.raises(BudgetSpent, match="--most-money"):
        spending.begin()


HALF, SURE = math.log(0.5), 0.0
SENT = Sent(b"a picture", Frame((100, 100), (100, 100)))
QUESTION = {"image": {}, "boxes": [], "new_box": [1, 2, 3, 4], "captions": [], "other_captions": [], "language": "en"}


def says(thought: str, said: str) -> Any:
    """Return a model that is half as sure of each word of its thought as of what it says."""
    tokens = [*((one, HALF) for one in re.findall(r"\w+|\W", thought)), (said, SURE)]
    reply = Reply(thought + said, tokens=tuple(tokens))
    return SimpleNamespace(ask=lambda *asked: reply)


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
