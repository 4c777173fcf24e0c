"""The process that runs tests on mutants: `python -m studies.mutants.server FILES PATHS`, both lists in JSON.

It runs each request in a fork of itself, without Django's models and without `conftest.py`. With paths it collects all
tests once, and a fork puts the code of one function in place of what was imported. Without paths a fork imports all
that it needs, with a text in place of what a file holds: for what a module does when it is imported.
"""

import gc
import importlib
import inspect
import json
import os
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from django.conf import settings as django_settings
from hypothesis import Phase, settings

from studies.mutants.study import OPTIONS

BY_ALL = ("hypothesis.strategies", "numpy", "pydantic", "django.utils.translation")
MOST_MEMORY = 4 << 30
"""Bytes of a fork: a mutant may make a list that never ends."""
BROKEN = 100
"""The exit code of a fork that could not put the mutant in place: no test was tried."""
requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")


class Collected:
    """Plugin of pytest: once all tests are collected, each request goes on in a fork, which runs those it chose."""

    def __init__(self, files: Sequence[str]) -> None:
        self.names = {os.path.abspath(file): file for file in files}
        self.found: dict[str, set[int]] = defaultdict(set)
        """The lines of functions in the files that have run."""
        self.not_collected: list[str] = []

    def trace(self, frame: FrameType, event: str, given: Any) -> Any:
        name = self.names.get(frame.f_code.co_filename)
        if name and frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # not the body of a module or class
            self.found[name].add(frame.f_lineno)
        return name and self.trace

    def pytest_collection(self) -> None:
        sys.settrace(self.trace)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.not_collected += [report.nodeid] * report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        sys.settrace(None)
        gc.freeze()
        request = next_request()
        if request and "out" not in request:
            if "function" in request:
                put_function(request)
            Chosen(request["tests"]).pytest_collection_modifyitems(session.items)
            session.config.option.maxfail = 1
            return None  # pytest goes on with what is chosen
        if request:
            Path(request["out"]).write_text(json.dumps(self.noted(session)))
        return True

    def noted(self, session: pytest.Session) -> Any:
        """Run every test, and return which lines it runs, its processor seconds, and who fails."""
        told: dict[str, Any] = {"imported": _sorted(self.found), "seconds": {}, "lines": {}, "failed": []}
        told["not_collected"] = self.not_collected
        caches = [var for module in list(sys.modules.values()) for var in vars(module).values() if _keeps_ours(var)]
        for item in session.items:
            for cache in caches:  # what another test has computed runs no lines here
                cache.cache_clear()
            test = function_of(item)
            self.found = defaultdict(set, {name: {*own} for name, own in told["lines"].get(test, {}).items()})
            failed, began = session.testsfailed, time.process_time()
            sys.settrace(self.trace)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            sys.settrace(None)
            told["seconds"][test] = told["seconds"].get(test, 0) + time.process_time() - began
            told["lines"][test] = _sorted(self.found)
            told["failed"] += [test] * (session.testsfailed > failed)
        return told


class Chosen:
    """Plugin of pytest: runs the chosen tests alone, in their order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.rank = {test: number for number, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if function_of(item) in self.rank), key=self.rank_of)

    def rank_of(self, item: pytest.Item) -> int:
        return self.rank[function_of(item)]


def function_of(item: pytest.Item) -> str:
    """Return the id of a test without its parameters, which a mutant may change."""
    return item.nodeid.partition("[")[0]


def _sorted(lines: Mapping[str, set[int]]) -> dict[str, list[int]]:
    return {name: sorted(line) for name, line in lines.items()}


def _keeps_ours(one: Any) -> bool:
    return type(one) is type(lru_cache(_sorted)) and Path(one.__module__.replace(".", "/") + ".py").exists()


def next_request() -> dict[str, Any] | None:
    """Answer requests, each by the exit code of its fork, below 0 for a signal. Returns in forks, and in the end."""
    for line in requests:
        pid = os.fork()
        if not pid:
            request: dict[str, Any] = json.loads(line)
            most = request.get("seconds", resource.RLIM_INFINITY)
            for kind, value in {"RLIMIT_CPU": most, "RLIMIT_CORE": 0, "RLIMIT_AS": MOST_MEMORY}.items():
                resource.setrlimit(getattr(resource, kind), (value, value))
            return request
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=answers, flush=True)
    return None


def put_function(request: Mapping[str, Any]) -> None:
    """Give the outermost function of a name the code that the text holds; who has imported it has the same object."""
    try:
        path = os.path.abspath(request["file"])
        found: Any = next(module for module in list(sys.modules.values()) if getattr(module, "__file__", None) == path)
        code = compile(request["source"], path, "exec")
        for name in request["function"].split("."):
            (code,) = [const for const in code.co_consts if isinstance(const, CodeType) and const.co_name == name]
            kept = vars(found)[name]
            found = inspect.unwrap(kept.func if isinstance(kept, cached_property) else getattr(kept, "fget", kept))
            if isinstance(found, FunctionType):
                # A constructor without its call of `super()` no longer closes over the class, as the original does.
                found.__code__ = code.replace(co_freevars=found.__code__.co_freevars)
                return
        raise LookupError(request["function"])
    except Exception:
        os._exit(BROKEN)


def run_anew(request: Mapping[str, Any]) -> int:
    """Import all that the tests need, with the text in place of the file, and run them until one fails."""
    path, plain = os.path.abspath(request["file"]), SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> Any:
        return compile(request["source"], path, "exec") if loader.path == path else plain(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
    files = sorted({test.partition("::")[0] for test in request["tests"]})
    return pytest.main([*OPTIONS, "-x", *files], [Chosen(request["tests"])])


if __name__ == "__main__":
    own_files, paths = (json.loads(one) for one in sys.argv[1:])
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nowhere, number)
    for needed in BY_ALL:
        importlib.import_module(needed)
    django_settings.configure()
    # The same examples as in every run. What fails need not be made small.
    settings.register_profile("mutants", derandomize=True, deadline=None, phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if paths:
        os._exit(pytest.main([*OPTIONS, *paths], [Collected(own_files)]))
    gc.freeze()
    asked = next_request()
    os._exit(run_anew(asked) if asked else 0)
