"""What the site generates: pages about structures, the C interface and performance, made here without Sphinx."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET

import pytest

from combpred.structures import Permutations, Routes, structure_classes

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def site(root):
    """The modules that write pages."""
    sys.path.insert(0, str(root / "python" / "docs"))
    try:
        from _ext import c_interface, performance, pictures, structures
    finally:
        sys.path.pop(0)
    return {module.__name__.rpartition(".")[2]: module for module in (c_interface, performance, pictures, structures)}


@pytest.fixture(scope="module")
def cards(site):
    return site["structures"].cards()


@pytest.fixture(scope="module")
def header(root):
    return (root / "capi" / "combpred.h").read_text(encoding="utf-8")


@pytest.mark.parametrize("part", ["pictures", "table", "sections"])
def test_every_structure_is_in_each_part_of_its_page(site, cards, part):
    page = getattr(site["structures"], part)(cards)
    names = {cls.__name__ for cls in structure_classes().values()}
    assert {name for name in names if re.search(rf"\b{name}\b", page) is None} == set()
    assert cards.keys() == structure_classes().keys()


def test_facts_of_cards_are_those_of_the_core(cards):
    assert cards["permutations"].count == "3\u202f628\u202f800"
    assert {"decode", "marginals"} <= Routes(16).space.capabilities
    assert not {"decode", "marginals"} & Routes(17).space.capabilities
    assert cards["routes"].best == "exact up to 16 places, then local search"
    assert "exact" not in Permutations(21).space.capabilities
    assert cards["permutations"].sums == "exact up to 20 labels"
    assert cards["labelsets"].sums == "exact at any size"
    assert "`before`: a list of pairs of labels" in cards["permutations"].conditions


def test_every_structure_has_moments_as_the_page_says(site):
    for sizes in site["structures"].SIZES.values():
        assert "moments" in sizes.make(sizes.usual).space.capabilities


def test_cards_say_what_y_and_psi_are(cards):
    assert [name for name, card in cards.items() if "hape" not in card.y] == []
    assert [name for name, card in cards.items() if "psi" not in card.psi and name != "custom"] == []


def test_pages_keep_places_for_all_that_is_generated(root, site):
    docs = root / "python" / "docs"
    for page, places in {
        "structures.md": ["structures: pictures", "structures: table", "structures: sections"],
        "c_interface.md": ["c: header", "c: go"],
        "evidence/performance.md": ["performance: tables"],
    }.items():
        assert re.findall("<!-- (.*) -->", (docs / page).read_text(encoding="utf-8")) == places


def test_every_structure_has_a_picture_of_one_size(site, tmp_path):
    files = site["pictures"].write_pictures(tmp_path)
    assert {file.stem for file in files} == set(structure_classes())
    for file in files:
        picture = ET.parse(file).getroot()
        assert (picture.get("width"), picture.get("height")) == ("120pt", "75pt")  # 160 × 100 pixels


def test_pictures_do_not_change_from_build_to_build(site, tmp_path):
    (first,), (again,) = (site["pictures"].write_pictures(tmp_path / each, ["routes"]) for each in "ab")
    assert first.read_bytes() == again.read_bytes()


def test_every_function_and_type_of_c_has_a_heading(site, header):
    page = site["c_interface"].c_page(header)
    headings = re.findall(r"`(cp_\w+)`", " ".join(re.findall(r"^### (.*)$", page, re.M)))
    assert headings == site["c_interface"].names(header)
    functions, types = re.findall(r"^int32_t (cp_\w+)\(", header, re.M), re.findall(r"^\} (cp_\w+);", header, re.M)
    assert {*functions, *types} <= set(headings)
    assert len(headings) == len(set(headings))


def test_nothing_of_the_header_is_left_out(site, header):
    """Words of comments and lines of declarations are all on the page."""
    page = site["c_interface"].c_page(header).replace("\\_", "_")
    words = set(re.findall(r"\w+", page))
    assert set(re.findall(r"\w+", header.partition("#ifndef")[0])) - words <= {"IN", "SHORT", "CONVENTIONS"}
    body = re.sub(r"^#(?:ifdef|ifndef|endif|include).*$", "", header.partition("#ifndef")[2], flags=re.M)
    assert set(re.findall(r"\w+", body)) - words <= {"COMBPRED_H", "extern", "__cplusplus", "C", "enum"}


def test_links_on_the_page_of_c_lead_to_its_headings(site, header):
    page = site["c_interface"].c_page(header)
    assert set(re.findall(r"\]\(#(\w+)\)", page)) <= set(site["c_interface"].names(header))


def test_packages_of_go_are_listed_with_a_sentence(root, site):
    found = site["c_interface"].packages(root / "core")
    assert {"fit", "structure", "decode", "partition"} <= set(found)
    assert [name for name, said in found.items() if not said.endswith((".", "…"))] == []
    documented = {
        file.parent.relative_to(root / "core").as_posix()
        for file in (root / "core").rglob("*.go")
        if "\n// Package " in "\n" + file.read_text(encoding="utf-8")
    }
    left_out = {folder for folder in documented - set(found) if not folder.startswith("internal")}
    assert left_out == {"structure/examples"}


def test_performance_has_the_tables_of_the_benchmarks(root, site):
    benchmarks = root / "tests" / "benchmarks"
    page = site["performance"].tables(benchmarks)
    for name in ("README.md", "naive_baselines.md"):
        text = (benchmarks / name).read_text(encoding="utf-8")
        rows = [line for line in text.splitlines() if line.startswith("| ") and ".py` | " not in line]
        assert [row for row in rows if row not in page and row != "| script | question |"] == []
    for link in re.findall(r"\]\(\.\./\.\./\.\./([^)#]*)\)", page):
        assert (root / link).exists(), link
