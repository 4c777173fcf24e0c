"""Counts of a run, and the bar that shows how far it is."""

import threading
from collections import Counter, defaultdict
from types import TracebackType

from tqdm import tqdm

from clients.annotator.errors import shown


class SkipTally:
    """Counts of questions or images that were answered or skipped, with reasons. Threads may share it."""

    def __init__(self, unit: str, done: str) -> None:
        """`unit`: of what is counted, such as question; `done`: the word for what succeeded, such as answered."""
        self._done = done
        self.answered: Counter[str] = Counter()
        self.skipped: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.ends: dict[str, str] = {}
        self._lock = threading.Lock()
        self._bar = tqdm(unit=f" {unit}", dynamic_ncols=True, disable=None)

    def __enter__(self) -> "SkipTally":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Take the bar away."""
        self._bar.close()

    def count(self, task: str, skipped: str = "") -> None:
        """Count an answer, or what was skipped for this reason."""
        with self._lock:
            if skipped:
                self.skipped[task][skipped] += 1
            else:
                self.answered[task] += 1
            self._bar.update()

    def end(self, task: str, why: str) -> None:
        """Note why a task ended, in the service's words."""
        with self._lock:
            self.ends[task] = why

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        with self._lock:
            self._bar.write(shown(line))

    def lines(self) -> list[str]:
        """Return a line for each task, with the reasons of what was skipped and of its end."""
        found = []
        for task in dict.fromkeys([*sorted(self.answered | Counter(self.skipped.keys())), *sorted(self.ends)]):
            skips = self.skipped.get(task, Counter())
            reasons = ", ".join(f"{count} {reason}" for reason, count in skips.most_common())
            skipped = f", {skips.total()} skipped ({reasons})" if skips else ""
            end = f". {self.ends[task]}" if self.ends.get(task) else ""
            found.append(shown(f"{task.replace('_', ' ')}: {self.answered[task]} {self._done}{skipped}{end}"))
        return found
