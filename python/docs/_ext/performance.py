"""The page about performance: what the scripts of tests/benchmarks found, with a section for each script or subject."""

from __future__ import annotations

import re
from pathlib import Path


def tables(benchmarks: Path) -> str:
    """Return the findings of README.md, under headings that its scripts give, and the tables of the other files."""
    text = (benchmarks / "README.md").read_text(encoding="utf-8")
    questions = dict(re.findall(r"^\| `(\w+)\.py` \| (.*) \|$", text, re.M))
    sections: dict[str, list[str]] = {}
    title = subject = None
    for block in re.split(r"\n\n+|\n(?=## )", text.strip()):
        if block.startswith(("# ", "| script |")):
            continue
        if block.startswith("## "):
            title = subject = block.removeprefix("## ")
            sections[title] = []
            continue
        if subject is None and (script := re.match(r"`(\w+)\.py", block)):
            title = script[1].replace("_", " ").capitalize().replace("svm", "SVM")
            if title not in sections:
                sections[title] = [f"*{questions[script[1]]}*"]
        if title is not None:  # what stands before is about the scripts, not what they found
            sections[title].append(block)
    for file in ("known", "naive_baselines"):
        heading, _, own = (benchmarks / f"{file}.md").read_text(encoding="utf-8").partition("\n")
        sections[heading.removeprefix("# ")] = [own.replace("\n## ", "\n### ").strip()]
    page = "\n\n".join(f"## {title}\n\n" + "\n\n".join(blocks) for title, blocks in sections.items())
    return re.sub(r"\]\((?!https?:|#)([^)]*)\)", r"](../../../tests/benchmarks/\1)", page) + "\n"
