"""Notebooks: committed without outputs, executed from top to bottom, and what their text says of the results holds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from combpred.datasets import load_digits_hierarchy
from combpred.metrics import hierarchical_loss

nbconvert = pytest.importorskip("nbconvert", reason="notebooks are executed by nbconvert")
nbformat = pytest.importorskip("nbformat")

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = {file.stem: file for file in sorted((ROOT / "python" / "docs" / "notebooks").glob("*.ipynb"))}

# One runs with the oldest dependencies, too: it needs what the others need.
VERSIONLESS = ("label_ranking", "label_sets", "routes", "ballots")


def executed(file: Path) -> list[str]:
    """Return the texts that the cells of a notebook print and show, after running it."""
    from nbconvert.preprocessors import ExecutePreprocessor

    notebook = nbformat.read(file, as_version=4)
    ExecutePreprocessor(timeout=240, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(ROOT)}})
    texts = []
    for cell in notebook.cells:
        printed = "".join(output.get("text", "") for output in cell.get("outputs", []))  # which may come in parts
        shown: list[dict[str, Any]] = [output.get("data", {}) for output in cell.get("outputs", [])]
        texts += [printed, *(data.get("text/plain", "") for data in shown)]
        texts += ["<picture>" for data in shown if "image/png" in data]
    return texts


def numbers(text: str, of: str) -> list[float]:
    """Return the numbers on the line of a text that begins with `of`."""
    line = next(line for line in text.splitlines() if line.startswith(of))
    return [float(found) for found in re.findall(r"\d*\.\d+", line.removeprefix(of))]


def table_of(text: str) -> dict[tuple[str, str], float]:
    """Return the entries of a printed data frame by the names of row and column."""
    head, *rows = [line.split() for line in text.strip().splitlines()]
    return {(row, column): float(entry) for row, *entries in rows for column, entry in zip(head, entries, strict=True)}


def claims(name: str, texts: list[str]) -> None:
    """Check what the text of a notebook says of its outputs."""
    shown = "\n".join(texts)
    if name == "label_ranking":
        model, consensus = numbers(shown, "Kendall's tau on patients")
        assert model > consensus + 0.2
        assert shown.count("proven: True") == 1 and "proven to be the best: True" in shown
        assert shown.count("<picture>") == 2
    elif name == "label_sets":
        separate, together = numbers(shown, "one by one "), numbers(shown, "distribution over observed")
        assert together[0] > separate[0] + 0.1 and together[1] > separate[1]
        assert f"{separate[0]:.2f} {together[0]:.2f}" == "0.65 0.88"
        kernel = numbers(shown, "the same with a kernel")[0]
        assert together[0] < numbers(shown, "a class for each set, logistic")[0] < kernel
        assert 1 - numbers(shown, "a class for each set, SVM")[0] < (1 - kernel) / 2
        assert "none of the 10 observed sets" in shown and "all prime: True" in shown
    elif name == "hierarchy":
        flat, tree = numbers(shown, "ridge, flat"), numbers(shown, "ridge, tree")
        assert abs(flat[0] - tree[0]) < 0.02 and abs(flat[1] - tree[1]) < 0.05
        assert numbers(shown, "distribution, tree")[0] > max(flat[0], tree[0])
        assert abs(flat[0] - numbers(shown, "SVM, flat")[0]) < 0.005
        sums = {name: numbers(shown, name) for name in ("distribution  ", "logistic, C=10 ", "logistic, C=100")}
        ours, strong, weak = sums.values()  # penalties
        assert ours[0] > strong[0] + 5 and abs(ours[1] - strong[1]) < 0.25 and ours[1] > weak[1] + 0.5
        digits = load_digits_hierarchy().structure
        assert hierarchical_loss(["6", "2", "6"], ["8", "1", "1"], parent=digits, per_row=True).tolist() == [2, 4, 5]
        _, right = (float(share) for share in re.findall(r"([\d.]+)% of", shown)[:2])
        assert right > float(re.findall(r"a leaf is right in ([\d.]+)%", shown)[0])
    elif name == "routes":
        ours = numbers(shown, "the model's")
        for other in ("the most frequent walk", "the most similar visitor's", "logistic regressions"):
            assert all(a > b for a, b in zip(ours, numbers(shown, other), strict=True))
        assert shown.count("| proven |") == 3
    elif name == "ballots":
        assert "proven: True" in shown and shown.count("<picture>") == 1
        _, beats, majority = (
            table_of(text) for text in texts if text.lstrip().startswith("burger  curry") and "." not in text
        )
        for winner, loser, wins, losses in (
            ("noodles", "curry", 14, 6),
            ("curry", "salad", 11, 7),
            ("salad", "noodles", 13, 9),
        ):
            assert (beats[winner, loser], beats[loser, winner]) == (wins, losses)
        assert majority == {pair: int(wins > 12.5 or pair == ("salad", "curry")) for pair, wins in beats.items()}
        near = re.findall(r"as near: (.*)", shown)
        assert len(near) == 2 and {order.split(" > ")[0] for order in near} == {"noodles", "salad"}
        assert "['curry', 'noodles', 'salad']" in shown
        wins = {place: float(share) for place, share in re.findall(r"^(\w+) +(0\.\d+)$", shown, re.MULTILINE)}
        assert max(wins, key=wins.__getitem__) == "noodles" and wins["noodles"] < 0.5


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.versionless if name in VERSIONLESS else ()) for name in NOTEBOOKS]
)
def test_notebooks_run_and_say_what_is_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    claims(name, executed(NOTEBOOKS[name]))


def test_notebooks_are_committed_without_outputs() -> None:
    assert set(NOTEBOOKS) == {"label_ranking", "label_sets", "hierarchy", "routes", "ballots"}
    for file in NOTEBOOKS.values():
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                assert not cell["outputs"] and cell["execution_count"] is None, file.name
