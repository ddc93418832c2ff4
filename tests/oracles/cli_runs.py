"""Tables written and models fitted from the command line."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from combpred._cli.main import main

Failing = Callable[..., str]


def write_csv(path: Path, names: list[str], rows: list[list[object]], delimiter: str = ",") -> str:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(names)
        writer.writerows(rows)
    return str(path)


def fitted(*arguments: str) -> None:
    assert main(["fit", *arguments]) == 0
