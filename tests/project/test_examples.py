"""The gallery: every example runs, prints something, and draws a figure that says what it shows."""

from __future__ import annotations

import ast
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="the gallery draws with matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "python" / "examples").glob("*.py"))

# Long only for what the compiled core computes in them: the interfaces they touch are those of the other examples.
VERSIONLESS = ("plot_online_cycles", "plot_online_identity")


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
    runpy.run_path(str(file), run_name="__main__")
    assert capsys.readouterr().out.strip()
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    for number, figure in enumerate(figures):
        figure.savefig(tmp_path / f"figure{number}.png")  # lays out the figure, where text that does not fit would warn
        panels = [ax for ax in figure.axes if ax.get_title()]
        assert panels and all(ax.has_data() for ax in panels)
    legends = [each for figure in figures for each in (*figure.legends, *(ax.get_legend() for ax in figure.axes))]
    texts = [text.get_text() for legend in legends if legend for text in legend.get_texts()]
    assert texts and all(texts)
