"""Tables as LaTeX, by the package booktabs, with captions that stand alone."""

from collections.abc import Sequence

from evaluation.page import cell_text
from evaluation.report import Cell, Report, ReportTable

SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "±": r"$\pm$", "→": r"$\to$", "³": r"\textsuperscript{3}", "×": r"$\times$", "≤": r"$\le$", "≥": r"$\ge$",
    "–": "--", "“": "``", "”": "''", "’": "'", "…": r"\dots{}",
}  # fmt: skip


def table_text(table: ReportTable, report: Report, seed: int) -> str:
    """Return the table as a float that needs only the package booktabs."""
    rows = [[escaped(cell_text(cell)) for cell in row] for row in table.rows]
    columns = "".join("r" if _is_numbers(table, place) else "l" for place in range(len(table.columns)))
    return "\n".join(
        [
            "% \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{escaped(caption_of(table, report, seed))}}}",
            f"\\label{{tab:{table.name.replace('_', '-')}}}",
            f"\\begin{{tabular}}{{{columns}}}",
            "\\toprule",
            _row([escaped(name) for name in table.columns]),
            "\\midrule",
            *map(_row, rows),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
            "",
        ]
    )


def caption_of(table: ReportTable, report: Report, seed: int) -> str:
    """Return a caption that says what is counted, of how many things, and by which seed."""
    return f"{report.title}. {table.title}. {report.n:,} {report.unit}, seed {seed}."


def escaped(text: str) -> str:
    """Return the text with the characters that mean something to LaTeX as it prints them."""
    return "".join(SPECIAL.get(letter, letter) for letter in text)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _is_numbers(table: ReportTable, place: int) -> bool:
    cells: list[Cell] = [row[place] for row in table.rows]
    return any(cell is not None for cell in cells) and not any(isinstance(cell, str) for cell in cells)
