"""The mutants of a file: the same text with one comparison, number, condition, call or row of a table changed."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SWAPS: Mapping[str, Mapping[Any, Any]] = {
    "bound": {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    "opposite": {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In}
    | {ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    "operator": {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult}
    | {ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift}
    | {ast.And: ast.Or, ast.Or: ast.And},
}
"""By kind of change, the operators and what takes their place."""
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}
NO_RULES = ("annotation", "returns", "decorator_list")
SEPARATOR = " :: "
Change = tuple[str, Any, Mapping[str, Any]]
"""Its kind, the node that is told, and new values of attributes."""


@dataclass(frozen=True)
class Mutant:
    """A file with one change. `function`: its name with those of its classes. `text`: what is changed, as Python
    writes it. `ordinal`: how often it stands before in the function, for such a change. `lines`: its own. `body`: those
    of the outermost function; none for what runs when the module is imported. `source`: the whole file with the change.
    """

    file: str
    function: str
    kind: str
    text: str
    ordinal: int
    lines: range
    body: range
    source: str

    @property
    def key(self) -> str:
        """Return a name that stays the same when lines move."""
        return SEPARATOR.join((self.file, self.function, self.kind, self.text, str(self.ordinal)))


def mutants(file: str, source: str) -> Iterator[Mutant]:
    tree = ast.parse(source)
    counted: Counter[tuple[str, ...]] = Counter()
    for node, names, body in list(_nodes(tree, (), range(0))):
        for kind, shown, change in list(_changes(node)):
            own = (".".join(names), kind, ast.unparse(shown))
            before = {name: getattr(node, name) for name in change}
            vars(node).update(change)
            yield Mutant(file, *own, counted[own], _lines(shown), body, ast.unparse(tree))
            vars(node).update(before)
            counted[own] += 1


def _nodes(node: ast.AST, names: tuple[str, ...], body: range) -> Iterator[tuple[ast.AST, tuple[str, ...], range]]:
    """Yield each node with the names of what it stands in, and the lines of the outermost function."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        names = (*names, node.name)
        body = body or (_lines(node) if isinstance(node, ast.FunctionDef) else body)
    yield node, names, body
    for field, inside in ast.iter_fields(node):
        for one in inside if isinstance(inside, list) else [inside]:
            # `strict` of zip guards against mistakes of the program itself.
            if isinstance(one, ast.AST) and field not in NO_RULES and getattr(one, "arg", "") != "strict":
                # Values that arguments have by default are made when the module is imported.
                at_import = (
                    isinstance(one, ast.arguments) and isinstance(node, ast.FunctionDef) and body == _lines(node)
                )
                yield from _nodes(one, names, range(0) if at_import else body)


def _changes(node: ast.AST) -> Iterator[Change]:
    for field in ("body", "orelse", "ifs"):
        inside = getattr(node, field, None)
        for number, one in enumerate(inside if isinstance(inside, list) else ()):
            kind, other = ("negated", _negation(one)) if field == "ifs" else ("dropped", _without(one))
            if other:
                yield kind, one, {field: _with(inside, number, other)}
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            if other := _negation(node.test):
                yield "negated", node.test, {"test": other}
        case ast.Compare():
            for kind, swaps in SWAPS.items():
                for number, one in enumerate(node.ops):
                    if swap := swaps.get(type(one)):
                        yield kind, node, {"ops": _with(node.ops, number, swap())}
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign():
            if swap := SWAPS["operator"].get(type(node.op)):
                yield "operator", node, {"op": swap()}
        case ast.UnaryOp(op=ast.Not()):
            yield "opposite", node, {"operand": ast.UnaryOp(ast.Not(), node.operand)}
        case ast.Constant(value=bool() as value):
            yield "constant", node, {"value": not value}
        case ast.Constant(value=int() | float() as value):
            yield "constant", node, {"value": value + 1}
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            yield "function", node, {"func": ast.Name(NAMES[name])}
        case ast.Dict():
            for number, key in enumerate(node.keys):
                row = {"keys": _with(node.keys, number), "values": _with(node.values, number)}
                yield "row", key or node.values[number], row


def _lines(node: Any) -> range:
    return range(node.lineno, node.end_lineno + 1)


def _with(every: Any, number: int, *other: Any) -> list[Any]:
    return [*every[:number], *other, *every[number + 1 :]]


def _negation(test: ast.expr) -> ast.expr | None:
    """Return the negated condition; None where another change says the same."""
    same = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    same |= isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in SWAPS["opposite"]
    return None if same else ast.UnaryOp(ast.Not(), test)


def _without(statement: ast.stmt) -> ast.stmt | None:
    """Return what stands in place of a statement that only acts; None for other statements."""
    acts = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return ast.Pass() if acts or isinstance(statement, ast.Continue | ast.Delete) else None
