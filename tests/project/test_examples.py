"""The gallery: every example runs, prints something, and draws a figure that says what it shows."""

from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="the gallery draws with matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "python" / "examples").glob("*.py"))

# Long only for what the compiled core computes in them: the interfaces they touch are those of the other examples.
VERSIONLESS = ("plot_online_cycles", "plot_online_identity")


def figures_of(printed: str, of: str) -> list[list[float]]:
    """Return the numbers with a decimal point that follow a text, of each line that has it."""
    return [
        [float(number) for number in re.findall(r"\d*\.\d+", line.partition(of)[2])]
        for line in printed.splitlines()
        if of in line
    ]


def ahead(printed: str, better: str, worse: str) -> bool:
    """Whether the first number of one is larger than that of another, in each line."""
    pairs = zip(figures_of(printed, better), figures_of(printed, worse), strict=True)
    return all(ours[0] > theirs[0] for ours, theirs in pairs)


def descending(values: Iterable[float]) -> bool:
    """Whether each number is larger than the next."""
    numbers = list(values)
    return all(a > b for a, b in pairwise(numbers))


def excess(printed: str) -> list[float]:
    """Return how far the averaged pass is above the closed form, of each line or, within a line, of each size."""
    of_lines = [figures_of(printed, name) for name in ("averaged", "closed form")]
    averaged, exact = ([row[0] for row in rows] if len(rows) > 1 else rows[0][::2] for rows in of_lines)
    return [a / b - 1 for a, b in zip(averaged, exact, strict=True)]


PAIRWISE = ("RankingByPairwiseComparison", "ConstraintClassification", "LabelRankingBoost")

#: What the text of an example says of the figures that it prints.
CLAIMS = {
    "plot_aggregation": lambda out: re.search(r"milp +1453 .*borda +1493 ", out, re.DOTALL),  # about 3 % above
    "plot_chain_crf": lambda out: (
        ahead(out, "a word at a time", "one letter at a time")
        and ahead(out, "one letter at a time", "all weights untied")
        and ahead(out, "a word at a time", "letters, counted pairs")
        and ahead(out, "kernel, counted pairs", "a word at a time")
        and 0.8 < figures_of(out, "one letter at a time")[0][0] < 0.85  # one in six is misread
    ),
    "plot_cliques": lambda out: (
        ahead(out, "pairs, linear", "people, linear")
        and ahead(out, "pairs, distribution", "people, forest")
        and all(max(row) == row[0] for row in figures_of(out, "pairs, distribution")[1:])
    ),
    "plot_dicycle_policies": lambda out: all(trips < policies for policies, trips, _ in figures_of(out, "policies")),
    "plot_label_rankers": lambda out: descending(
        reach[0] - reach[1]  # what is lost with gaps, most by the first and least by the last
        for reach in (
            figures_of(out, "StructuredRidge ")[0],
            figures_of(out, "OnlineLabelRanker ")[0],
            max((figures_of(out, name)[0] for name in PAIRWISE), key=lambda reach: reach[0] - reach[1]),
        )
    ),
    "plot_online_cycles": lambda out: (
        ahead(out, "averaged", "closed form") and descending(excess(out)) and ahead(out, "τ = 500", "averaged")
    ),
    "plot_online_identity": lambda out: 0.04 < excess(out)[0] < 0.06 and descending(excess(out)[:3]),
    "plot_partition_function": lambda out: "100% of the intervals contain" in out,
    "plot_poset_kernels": lambda out: figures_of(out, "28 pairs: position")[0][-1] < 0.5,  # of extensions
    "plot_rankings_with_ties": lambda out: (
        ahead(out, "WeakOrders", "Permutations") and ahead(out, "WeakOrders", "classes, SVM")
    ),
    "plot_structured_svm_cycles": lambda out: (
        ahead(out, "SVM, exact decoding", "SVM, 25 random cycles")
        and descending(
            figures_of(out, name)[-1][0] for name in ("perceptron, exact", "SVM, exact", "ridge, no", "SVM, 25")
        )
    ),
    "plot_tourist_routes": lambda out: ahead(out, "StructuredRidgeCV", "most similar visitor"),
}


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    """Start and end without figures."""
    plt.close("all")
    yield
    plt.close("all")


def test_there_is_a_gallery() -> None:
    assert {file.stem for file in EXAMPLES} >= {
        "plot_aggregation",
        "plot_chain_crf",
        "plot_cliques",
        "plot_dicycle_policies",
        "plot_label_rankers",
        "plot_online_cycles",
        "plot_online_identity",
        "plot_partition_function",
        "plot_poset_kernels",
        "plot_ranking_probabilities",
        "plot_rankings_with_ties",
        "plot_structured_svm_cycles",
        "plot_tourist_routes",
    }


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_example_has_the_form_of_the_gallery(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    rule, title, again, *_ = (ast.get_docstring(ast.parse(text), clean=True) or "").splitlines()
    assert set(rule) == {"="} and rule == again and len(rule) == len(title)
    assert text.count("\n# %%\n") >= 3
    assert file.name.startswith("plot_")  # the gallery runs no others
    assert f"<{file.stem}>" in (file.parent / "GALLERY_HEADER.rst").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")  # of plt.show()
@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, id=file.stem, marks=[pytest.mark.versionless] if file.stem in VERSIONLESS else [])
        for file in EXAMPLES
    ],
)
def test_example_draws(file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if "preflibtools" in file.read_text(encoding="utf-8"):
        pytest.importorskip("preflibtools", reason="ballots of PrefLib are read by preflibtools")
    runpy.run_path(str(file), run_name="__main__")
    printed = capsys.readouterr().out
    assert printed.strip()
    if file.stem in CLAIMS:
        assert CLAIMS[file.stem](printed)
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    for number, figure in enumerate(figures):
        assert figure.get_figwidth() <= 6.4  # inches; text of wider ones would be too small on a phone
        figure.savefig(tmp_path / f"figure{number}.png")  # lays out the figure, where text that does not fit would warn
        panels = [ax for ax in figure.axes if ax.get_title()]
        assert panels and all(ax.has_data() for ax in panels)
    legends = [each for figure in figures for each in (*figure.legends, *(ax.get_legend() for ax in figure.axes))]
    texts = [text.get_text() for legend in legends if legend for text in legend.get_texts()]
    assert texts and all(texts)
