"""Sphinx builds the site from this folder, the docstrings, the examples, and the tables of the benchmarks.

python -m sphinx -W -b html python/docs OUT
"""

from __future__ import annotations

import importlib
import inspect
import posixpath
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from cycler import cycler

import combpred

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from _ext import c_interface, performance, pictures, structures  # noqa: E402  # beside this file

SOURCE = "https://github.com/combpred/combpred/blob/main"

project = "combpred"
author = "The combpred developers"
project_copyright = "2026, the combpred developers"
version = release = combpred.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["**.ipynb_checkpoints", "gallery/*.ipynb", "gallery/*.py", "**sg_execution_times.rst"]
html_static_path = ["_static"]
html_css_files = ["combpred.css"]
html_theme = "pydata_sphinx_theme"
html_title = "combpred"
html_theme_options: dict[str, Any] = {
    "header_links_before_dropdown": 5,
    "icon_links": [
        {"name": "Source", "url": "https://github.com/combpred/combpred", "icon": "fa-brands fa-github"},
    ],
    "navigation_with_keys": False,
    "show_prev_next": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_show_sourcelink = False
html_copy_source = False

autosummary_generate = True
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # numpydoc's types say it in words
numpydoc_show_class_members = False
numpydoc_use_plots = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks are stored with outputs, and the tests run them

#: Figures of the gallery have no background and mid-grey text, so that they suit light and dark pages; a figure of
#: 600 pixels stays readable on a phone. The colours are those of Okabe and Ito with enough contrast on both.
FIGURES = {
    "axes.edgecolor": "#7a7a7a",
    "axes.facecolor": "none",
    "axes.labelcolor": "#7a7a7a",
    "axes.prop_cycle": cycler(color=["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7a7a7a"]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "figure.figsize": (6.0, 4.0),
    "font.size": 12,
    "legend.frameon": False,
    "savefig.facecolor": "none",
    "text.color": "#7a7a7a",
    "xtick.color": "#7a7a7a",
    "ytick.color": "#7a7a7a",
}


class HeaderOrder:
    """Order the examples as the gallery's header lists them."""

    def __init__(self, folder: str) -> None:
        self.header = (HERE.parent / "examples" / "GALLERY_HEADER.rst").read_text(encoding="utf-8")

    def __call__(self, name: str) -> int:
        return self.header.index(f"<{Path(name).stem}>")


def style_figures(_: Any, __: Any) -> None:
    """Draw the figures of every example in this style."""
    plt.style.use(FIGURES)


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "min_reported_time": 60,
    "show_memory": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "write_computation_times": False,
    "within_subsection_order": HeaderOrder,
    "reset_modules": ("matplotlib", style_figures),
    "image_srcset": ["2x"],
}
suppress_warnings = ["config.cache", "misc.highlighting_failure"]  # CSV has no highlighting
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")


def fill_in(app: Any, docname: str, text: list[str]) -> None:
    """Put what is generated in the place of comments such as `<!-- structures: table -->`."""
    if "<!-- " in text[0]:
        for file in (HERE / "_ext").glob("*.py"):
            app.env.note_dependency(str(file))
    if "<!-- structures: " in text[0]:
        cards = structures.cards()
        for part in (structures.pictures, structures.table, structures.sections):
            text[0] = text[0].replace(f"<!-- structures: {part.__name__} -->", part(cards))
    if docname == "c_interface":
        header, core = ROOT / "capi" / "combpred.h", ROOT / "core"
        text[0] = text[0].replace("<!-- c: header -->", c_interface.c_page(header.read_text(encoding="utf-8")))
        text[0] = text[0].replace("<!-- c: go -->", c_interface.go_table(core))
        app.env.note_dependency(str(header))
    if docname == "evidence/performance":
        benchmarks = ROOT / "tests" / "benchmarks"
        text[0] = text[0].replace("<!-- performance: tables -->", performance.tables(benchmarks))
        for file in benchmarks.glob("*.md"):
            app.env.note_dependency(str(file))


def write_pictures(app: Any, config: Any) -> None:
    """Draw the pictures of structures, which pages show."""
    pictures.write_pictures(HERE / "pictures")


def absolute_links(app: Any, docname: str, text: list[str]) -> None:
    """Let relative links that lead out of this folder lead to the repository."""

    def target(match: re.Match[str]) -> str:
        path, anchor = match.group(1), match.group(2) or ""
        at = posixpath.normpath(posixpath.join("python/docs", posixpath.dirname(docname), path))
        return match.group(0) if at.startswith("python/docs") else f"]({SOURCE}/{at}{anchor})"

    text[0] = re.sub(r"\]\((\.\./[^)#\s]*)(#[^)]*)?\)", target, text[0])


MODULES = {
    "combpred": "Estimators",
    "combpred.structures": "Structures",
    "combpred.sampling": "Sampling and partition functions",
    "combpred.ranking": "Label rankers",
    "combpred.aggregation": "Consensus of rankings",
    "combpred.baselines": "Learners that decode in training",
    "combpred.kernels": "Kernels",
    "combpred.metrics": "Metrics",
    "combpred.losses": "Losses of scores",
    "combpred.reductions": "Reductions",
    "combpred.plotting": "Plots",
    "combpred.datasets": "Data sets",
    "combpred.testing": "Tests of your own structures",
}


def write_reference(app: Any, config: Any) -> None:
    """Write a page for each public module, which lists all its names."""
    folder = HERE / "api"
    folder.mkdir(exist_ok=True)
    lines = ["API reference", "=============", "", ".. toctree::", "   :maxdepth: 1", ""]
    for module, title in MODULES.items():
        lines.append(f"   {title}: {module} <{module}>")
        names = importlib.import_module(module)
        public = [n for n in names.__all__ if not inspect.ismodule(getattr(names, n)) and n != "__version__"]
        shared = [] if names is combpred else [n for n in public if n in combpred.__all__]  # they have a page there
        public = [n for n in public if n not in shared]
        summary = (inspect.getdoc(names) or "").strip()
        page = [
            title, "=" * len(title), "", f".. module:: {module}", "", summary, "", f".. currentmodule:: {module}", "",
            ".. autosummary::", "   :toctree: generated", "   :nosignatures:", "",
        ]  # fmt: skip
        page += [f"   {name}" for name in public]
        if shared:
            page += ["", "Also here: " + ", ".join(f":obj:`~combpred.{n}`" for n in shared) + "."]
        (folder / f"{module}.rst").write_text("\n".join([*page, ""]), encoding="utf-8")
    lines += ["   Structures at a glance <../structures>", "   C and Go <../c_interface>"]
    (folder / "index.rst").write_text("\n".join([*lines, ""]), encoding="utf-8")


def plain_references(app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Take references to scikit-learn's pages for their text, and underscores in types literally."""
    for i, line in enumerate(lines):
        line = re.sub(r":(?:ref|term):`([^<`]*?)\s*(?:<[^`]*>)?`", r"\1", line)
        lines[i] = re.sub(r"(?<=\w)_(?=[,) ])", r"\\_", line) if re.match(r"\w+ : ", line) else line


def setup(app: Any) -> None:
    """Connect the functions of this file."""
    app.connect("autodoc-process-docstring", plain_references, priority=100)  # before numpydoc reads it
    app.connect("source-read", fill_in, priority=100)
    app.connect("source-read", absolute_links)
    app.connect("config-inited", write_pictures)
    app.connect("config-inited", write_reference)  # before pages are looked for
