"""The skill estimate as plain loops over judgments, to hold the one with arrays against."""

import math
from collections.abc import Hashable, Mapping, Sequence

from workers.rules.fit_votes import SkillRules, WorkerAnswer

PULLS = (0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256)
Matrix = list[list[float]]


def plain_posterior(
    judgments: Sequence[WorkerAnswer],
    classes: Sequence[Hashable],
    known: Mapping[Hashable, Hashable],
    rules: SkillRules,
    kinds: int,
    rounds: int,
) -> tuple[dict[Hashable, list[float]], float]:
    """Return the chance of each class per item after so many rounds, and the score of the fit."""
    size, states = len(classes), len(classes) * kinds
    number = {name: place for place, name in enumerate(classes)}
    items = list(dict.fromkeys(one.item for one in judgments))
    chances = {item: _start([number[j.answer] for j in judgments if j.item == item], size, kinds) for item in items}
    for item in items:
        if item in known:
            truth = number[known[item]]
            shares = [0.0] * states
            clear = sum(chances[item][:size])
            shares[truth] = clear
            if kinds == 2:
                shares[size + truth] = 1 - clear
            chances[item] = shares
    pulls: tuple[float, float] | None = None
    for done in range(1, rounds + 1):
        shares = [(sum(chances[item][s] for item in items) + 1) / (len(items) + states) for s in range(states)]
        counts: dict[Hashable, Matrix] = {}
        for one in judgments:
            own = counts.setdefault(one.worker, [[0.0] * states for _ in range(size)])
            for s in range(states):
                own[number[one.answer]][s] += chances[one.item][s]
        matrices, used = _matrices(counts, size, kinds, rules, pulls)
        pulls = used if done >= 3 else None
        score = 0.0
        for item in items:
            logs = []
            for s in range(states):
                log = math.log(shares[s])
                for one in judgments:
                    if one.item == item:
                        log += math.log(matrices[one.worker][number[one.answer]][s])
                if item in known and s % size != number[known[item]]:
                    log = -math.inf
                logs.append(log)
            total = sum(math.exp(log) for log in logs)
            chances[item] = [math.exp(log) / total for log in logs]
            score += math.log(total)
    for own in counts.values():
        for s in range(states):
            total = sum(own[a][s] for a in range(size))
            score -= (size - 1) * total / (total + used[0])
    return {
        item: [sum(of[s] for s in range(t, states, size)) for t in range(size)] for item, of in chances.items()
    }, score


def _start(given: list[int], size: int, kinds: int) -> list[float]:
    shares = [(given.count(place) + 1 / size) / (len(given) + 1) for place in range(size)]
    clear = (max(shares) * size - 1) / (size - 1)
    return shares if kinds == 1 else [s * clear for s in shares] + [s * (1 - clear) for s in shares]


def _matrices(
    counts: Mapping[Hashable, Matrix], size: int, kinds: int, rules: SkillRules, pulls: tuple[float, float] | None
) -> tuple[dict[Hashable, Matrix], tuple[float, float]]:
    """Return per worker P(answer | state), and the pulls of rows and of accuracies."""
    classes = range(size)
    by_class = {w: [[sum(row[t::size]) for t in classes] for row in own] for w, own in counts.items()}
    right = {w: sum(own[t][t] for t in classes) for w, own in by_class.items()}
    answers = {w: sum(map(sum, own)) for w, own in by_class.items()}
    crowd = (sum(right.values()) + 1) / (sum(answers.values()) + 2)
    if pulls is None:
        sides = [[right[w], answers[w] - right[w]] for w in counts]
        tells = {pull: sum(_left_out(side, [crowd, 1 - crowd], pull) for side in sides) for pull in PULLS}
        crowd_pull = _moved(rules.crowd_pull, tells, rules.learned)
    else:
        crowd_pull = pulls[1]
    coins = {w: (right[w] + crowd_pull * crowd) / (answers[w] + crowd_pull) for w in counts}
    base = {w: _like_the_crowd(list(by_class.values()), coins[w], crowd, size) for w in counts}
    if kinds == 2:
        base = {w: [[_even(coins[w], size, right=a == t) for t in classes] for a in classes] for w in counts}
    if pulls is None:
        columns = [
            ([own[a][t] for a in classes], [base[w][a][t] for a in classes])
            for w, own in by_class.items()
            for t in classes
        ]
        tells = {pull: sum(_left_out(column, towards, pull) for column, towards in columns) for pull in PULLS}
        row_pull = _moved(rules.row_pull, tells, rules.learned)
    else:
        row_pull = pulls[0]
    final = {}
    for w, own in by_class.items():
        final[w] = _pulled(own, base[w], row_pull)
        if kinds == 2:
            final[w] = _pulled(counts[w], [row * 2 for row in final[w]], row_pull)
    return final, (row_pull, crowd_pull)


def _even(accuracy: float, size: int, *, right: bool) -> float:
    return accuracy if right else (1 - accuracy) / (size - 1)


def _like_the_crowd(everyone: list[Matrix], coin: float, crowd: float, size: int) -> Matrix:
    classes = range(size)
    total = [[sum(own[a][t] for own in everyone) for t in classes] for a in classes]
    matrix = _pulled(total, [[_even(crowd, size, right=a == t) for t in classes] for a in classes], 4)
    made = [[0.0] * size for _ in classes]
    for t in classes:
        odds = matrix[t][t] / (1 - matrix[t][t]) * (coin / (1 - coin)) / (crowd / (1 - crowd))
        hit = odds / (1 + odds)
        for a in classes:
            made[a][t] = hit if a == t else (1 - hit) * matrix[a][t] / (1 - matrix[t][t])
    return made


def _pulled(counts: Matrix, towards: Matrix, pull: float) -> Matrix:
    totals = [sum(row[s] for row in counts) for s in range(len(counts[0]))]
    return [
        [(n + pull * goal) / (totals[s] + pull) for s, (n, goal) in enumerate(zip(row, goals, strict=True))]
        for row, goals in zip(counts, towards, strict=True)
    ]


def _left_out(counts: list[float], base: list[float], pull: float) -> float:
    others = max(sum(counts) - 1, 0) + pull
    return sum(n * math.log((max(n - 1, 0) + pull * goal) / others) for n, goal in zip(counts, base, strict=True))


def _moved(pull: float, tells: Mapping[float, float], learned: float) -> float:
    best = max(tells, key=lambda one: round(tells[one], 6))
    return pull ** (1 - learned) * best**learned
