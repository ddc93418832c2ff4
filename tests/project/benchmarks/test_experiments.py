"""The page of experiments: reduced runs of its scripts print what it shows, with the settings that it names."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sklearn.base import BaseEstimator

pytest.importorskip("pandas")
pytest.importorskip("arff")

ROOT = Path(__file__).parents[3]
BENCHMARKS = ROOT / "tests" / "benchmarks"
PAGE = (ROOT / "python" / "docs" / "evidence" / "experiments.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", PAGE, flags=re.M)[1:]
README = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"[±|-]?\d*\.\d+%?")
OPEN = {"structure", "random_state", "n_jobs", "verbose"}  # said in words, or without a part in the figures

Recorded = dict[str, list[dict[str, Any]]]
Run = Callable[[str], tuple[str, Recorded]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A function that runs a command of the page, and returns what it printed and what it set of its models."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))

    def of_command(command: str) -> tuple[str, Recorded]:
        _, script, *arguments = shlex.split(command)
        module = importlib.import_module(Path(script).stem)
        recorded = record_settings(module, monkeypatch)
        monkeypatch.setattr(sys, "argv", [script, *arguments])
        capsys.readouterr()
        module.main()
        return capsys.readouterr().out, recorded

    before = set(sys.modules)
    yield of_command
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCHMARKS)):
            del sys.modules[name]


def record_settings(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """Let every estimator that a script imports write down its parameters when it is fitted."""
    recorded: Recorded = {}

    def watch(name: str, fit: Callable[..., Any]) -> Callable[..., Any]:
        def fit_and_record(self: Any, *args: Any, **kwargs: Any) -> Any:
            recorded.setdefault(name, []).append(self.get_params(deep=False))
            return fit(self, *args, **kwargs)

        return fit_and_record

    for name, found in vars(module).copy().items():
        if isinstance(found, type) and issubclass(found, BaseEstimator) and hasattr(found, "fit"):
            monkeypatch.setattr(found, "fit", watch(name, found.fit))
    return recorded


def settings_of(section: str) -> dict[str, tuple[dict[str, Any], set[str]]]:
    """Return of each estimator of a section the settings that its table fixes, and the names of those that vary."""
    table = {}
    for name, fixed, varied in re.findall(r"^\| `(\w+)` \| `(.*?)` \| (.*?) ?\|$", section, re.M):
        call = ast.parse(f"dict({fixed})", mode="eval").body
        assert isinstance(call, ast.Call)
        values = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
        table[name] = values, set(re.findall(r"`(\w+)`", varied))
    return table


def assert_alike(printed: str, shown: str) -> None:
    """Numbers agree to 3 per cent or to .003, the larger; "…" stands for any time; everything else is the same."""
    ours, theirs = ([line.split() for line in text.strip().splitlines() if line.strip()] for text in (printed, shown))
    assert [len(line) for line in ours] == [len(line) for line in theirs], printed
    for line, expected in zip(ours, theirs, strict=True):
        for word, wanted in zip(line, expected, strict=True):
            if NUMBER.fullmatch(wanted):
                assert NUMBER.fullmatch(word), printed
                assert number(word) == pytest.approx(number(wanted), rel=0.03, abs=0.003), printed
            else:
                assert wanted in (word, "…"), printed


def number(text: str) -> float:
    """Return a number as scripts and pages write it."""
    return float(text.replace("−", "-").strip(" *±%"))


def rows_of(text: str, head: str) -> dict[str, list[str]]:
    """Return the cells of a table of Markdown that begins with `head`, by its first cell or cells."""
    lines = text[text.index(head) :].split("\n\n")[0].strip().splitlines()[2:]
    return {cells[0]: cells[1:] for cells in ([c.strip() for c in line.strip("|").split("|")] for line in lines)}


def test_the_page_has_all_experiments() -> None:
    assert len(SECTIONS) == len(re.findall(r"^```text$", PAGE, re.M)) == 4


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.split(":")[0].split(" (")[0])
def test_reduced_runs_print_what_the_page_shows_with_the_settings_it_names(section: str, run: Run) -> None:
    command, shown = re.findall(r"^```text\n\$ (.*?)\n(.*?)^```$", section, re.M | re.S)[0]
    printed, recorded = run(command)
    assert_alike(re.sub(r"in \d+\.\d+ s", "in … s", printed), shown)
    named = settings_of(section)
    assert set(named) <= set(recorded)
    for name, models in recorded.items():
        fixed, varied = named.get(name, ({}, set()))
        for model in models:
            assert {key: model[key] for key in fixed} == fixed, name
            assert varied <= set(model), name
        defaults = getattr(sys.modules[Path(shlex.split(command)[1]).stem], name)().get_params(deep=False)
        changed = {key for model in models for key, value in model.items() if value != defaults[key]}
        assert changed - OPEN <= set(fixed) | varied, name


def test_curves_of_stochastic_descent_begin_with_what_the_reduced_run_prints(run: Run) -> None:
    """The reduced run is the first column of the page's tables, and the second one of the README's."""
    printed, _ = run("python tests/benchmarks/online.py --only curves --sizes 300")
    for kind in ("identity", "cycles"):
        found = rows_of(printed, f"| {kind} |")
        for table, column in ((rows_of(PAGE, f"| {kind} |"), 0), (rows_of(README, f"| {kind} |"), 1)):
            assert set(table) == set(found)
            for name, cells in table.items():
                wanted, reached = (number(cell.split(" in ")[0]) for cell in (cells[column], found[name][0]))
                assert reached == pytest.approx(wanted, abs=0.003), name


def test_gaps_after_passes_are_those_of_the_table(run: Run) -> None:
    """All rows of the README's table: structures, kernels and kinds of steps."""
    printed, recorded = run("python tests/benchmarks/online.py --only gaps")
    found, shown = (gaps_of(text) for text in (printed, README))
    assert list(found) == list(shown)
    assert len(found) == 32
    for row, gaps in shown.items():
        assert found[row] == pytest.approx(gaps, rel=0.03, abs=0.03), row
    assert {model["loss"] for models in recorded.values() for model in models} == {"auc"}


def test_policies_and_cycles_are_as_near_as_the_benchmarks_say(run: Run) -> None:
    """One seed of five with 50 people: .03 and .05 are two standard deviations over seeds, fixed here."""
    printed, _ = run("python tests/benchmarks/cycles.py --sizes 50 --seeds 1 --limit 0")
    text = README[README.index("`cycles.py`: policy estimation") :].split("\n\n")[0]
    reached = dict(re.findall(r"^ +0(\.\d+?)0* +0(\.\d+)$", printed, re.M))
    levels, cycles = re.findall(r"cosine ([.\d, and]+) from the\s+hidden one have cycles at ([.\d, ]+)\. ", text)[0]
    for level, cycle in zip(levels.split(", "), cycles.split(", "), strict=True):
        assert number(reached[level]) == pytest.approx(number(cycle), abs=0.006)
    assert "people: .771, " in text
    assert rows_of_text(printed, "cosine of estimated")["auc"] == pytest.approx(0.771, abs=0.03)
    taken = rows_of_text(printed, "cosine of predicted")
    for name, cosine in (("auc", ".432"), ("squared, product", ".469"), ("squared", ".394"), ("auc, cubic", ".457")):
        assert f"{cosine}, " in text
        assert taken[name] == pytest.approx(float(cosine), abs=0.05), name


def rows_of_text(text: str, head: str) -> dict[str, float]:
    """Return the first number of each line of a printed table that begins with `head`, by the words before it."""
    lines = text[text.index(head) :].split("\n\n")[0].splitlines()[1:]
    return {name.strip(): float(first) for name, first in re.findall(r"^(\D+) (\d\.\d+)", "\n".join(lines), re.M)}


def gaps_of(text: str) -> dict[str, list[float]]:
    """Return the gaps in per cent, by structure, kernel and kind of steps; "12: 0.02%" is one, after fewer passes."""
    lines = text[text.index("| structure | kernel | steps |") :].split("\n\n")[0].strip().splitlines()[2:]
    cells = [line.strip("|").split("|") for line in lines]
    return {"|".join(line[:3]).strip(): [number(cell.split(":")[-1]) for cell in line[3:7]] for line in cells}
