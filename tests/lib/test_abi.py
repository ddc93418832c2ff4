"""The C interface called directly: its declarations, and its answers to illegal arguments."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
from ctypes import c_char, c_char_p, c_double, c_int32, c_int64, c_uint64, c_void_p
from pathlib import Path

import numpy as np
import pytest

from abi_answers import HEADER, Answer, arguments, functions
from abi_calls import CALLS, PART_LEN, PERMUTATIONS, STRUCTURE, D, out
from combpred._lib import abi, call, names
from combpred._lib.decode import decode
from combpred._lib.errors import RowError
from combpred._lib.structure import (
    Description,
    catalogue,
    structure_count,
    structure_embed,
    structure_sample,
)
from combpred._lib.versions import __version__


def ctypes_of(declaration: str) -> type:
    """Return the ctypes type that stands for a parameter of the header."""
    if "*" in declaration:
        return c_void_p
    kinds = {"int32_t": c_int32, "int64_t": c_int64, "uint64_t": c_uint64, "double": c_double}
    kinds |= {"cp_space": c_uint64, "cp_session": c_uint64}
    return kinds[declaration.split()[0]]


def test_prototypes_match_the_header():
    declared = {name: tuple(map(ctypes_of, parameters)) for name, parameters in functions().items()}
    assert declared == abi.PROTOTYPES


def test_functions_have_few_parameters():
    many = {name: len(parameters) for name, parameters in functions().items() if len(parameters) > 12}
    assert many == {}


def test_parameters_of_all_functions_end_alike():
    order = ["workers", "control", "bad_row", "err", "err_cap"]
    for name, parameters in functions().items():
        names = [re.search(r"\w+$", p)[0] for p in parameters]
        tail = [n for n in names if n in order]
        assert tail == [n for n in order if n in tail], name
        assert names[len(names) - len(tail) :] == tail, name


def declared_fields(name: str) -> list[tuple[str, type]]:
    """Return the fields of a struct of the header and their types in ctypes."""
    body = re.search(rf"typedef struct {name} \{{(.*?)\}} {name};", HEADER, re.S)[1]
    fields = []
    for statement in filter(None, map(str.strip, body.split(";"))):
        kind, names = statement.split(None, 1)
        for field in names.split(","):
            text = re.fullmatch(r"\s*(\w+)\[(\d+)\]", field)
            if text:
                fields.append((text[1], c_char * int(text[2])))
            else:
                fields.append((field.strip(" *"), c_void_p if "*" in field else ctypes_of(f"{kind} x")))
    return fields


STRUCTS = {
    re.match(r"cp_\w+", kind.__doc__)[0]: kind
    for kind in vars(abi).values()
    if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and kind is not ctypes.Structure
}


def test_all_structs_are_declared():
    assert set(re.findall(r"typedef struct (\w+) \{", HEADER)) == set(STRUCTS)


@pytest.mark.parametrize("name", STRUCTS)
def test_structs_match_the_header(name):
    # c_char_p is a pointer that keeps the bytes alive.
    ours = [(field, c_void_p if kind is c_char_p else kind) for field, kind in STRUCTS[name]._fields_]
    assert declared_fields(name) == ours
    if name not in ("cp_structure", "cp_control"):
        assert ours[0] == ("struct_size", c_int64)
        assert re.search(rf"#define {name.upper()} ", HEADER)
    # The last field ends the struct: a field that is appended later must not lie in what is padding today.
    last = getattr(STRUCTS[name], ours[-1][0])
    assert last.offset + last.size == ctypes.sizeof(STRUCTS[name])


def test_constants_match_the_header():
    for name, value in re.findall(r"#define CP_(\w+) (\d+)", HEADER):
        assert getattr(abi, name) == int(value)


def test_exports_are_the_header_and_the_module():
    library = call.library().core.__file__
    try:
        listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        pytest.skip("nm (binutils) is not installed")
    exported = {line.split()[-1] for line in listing.stdout.splitlines()}
    assert exported == {"PyInit__core", *functions()}


def test_message_is_cut_to_its_buffer_between_characters(dll):
    text = '{"name":"ééééééééé"}'.encode()
    s = abi.CStructure(text, len(text), None, 0, None, 0)
    for capacity in range(64):
        message = ctypes.create_string_buffer(b"\x01" * 64, 64)
        assert dll.cp_space_open(ctypes.addressof(s), None, 0, out(), message, capacity) == abi.EVALUE
        assert message.raw[capacity:] == b"\x01" * (64 - capacity)
        if capacity:
            assert b"\0" in message.raw[:capacity]
            message.value.decode()  # raises if a character is cut in two


def test_no_message_buffer_is_needed(dll):
    for message, room in ((None, 0), (None, 100), (ctypes.create_string_buffer(8), -1)):
        assert dll.cp_space_names(0, None, 0, out(), 1, None, message, room) == abi.EVALUE


def test_check_tells_bad_rows_from_bad_arguments(dll):
    bad_row = out()
    y = np.array([[1, 2, 3, 4], [1, 2, 3, 3]], dtype=np.int32)
    s = STRUCTURE
    assert dll.cp_space_embed(s, y.ctypes.data, 2, PART_LEN, 0, None, D, 1, None, bad_row, None, 0) == abi.EVALUE
    assert bad_row[0] == 1
    assert dll.cp_space_embed(s, y.ctypes.data, 1, PART_LEN, 0, None, D, 1, None, bad_row, None, 0) == abi.OK
    assert bad_row[0] == -1
    assert dll.cp_space_embed(s, None, 2, PART_LEN, 0, None, D, 1, None, bad_row, None, 0) == abi.EVALUE
    assert bad_row[0] == -1


def test_count_tells_the_room_it_needs(dll):
    needed = out()
    s = STRUCTURE
    assert dll.cp_space_count(s, None, 0, needed, None, 0) == abi.OK
    assert needed[0] == len("18") + 1
    small = ctypes.create_string_buffer(b"xx", 2)
    assert dll.cp_space_count(s, small, 2, needed, None, 0) == abi.OK
    assert small.raw == b"xx"
    enough = ctypes.create_string_buffer(3)
    assert dll.cp_space_count(s, enough, 3, needed, None, 0) == abi.OK
    assert enough.raw == b"18\0"  # 24 members, in hexadecimal digits


def test_capabilities_are_those_of_the_parameters():
    sets = Description("labelsets", {"n": 6, "size": -1}).space.capabilities
    assert {"count", "sibling", "monotone", "exact"} <= sets
    sized = Description("labelsets", {"n": 6, "size": 2}).space.capabilities
    assert {"moments", "cftp"} <= sized
    assert not {"sibling", "monotone"} & sized


def test_facts_are_those_of_python(dll):
    facts = json.loads(told(lambda *room: dll.cp_space_facts(STRUCTURE, *room)))
    assert facts == PERMUTATIONS.space.facts
    assert (facts["part_len"], facts["feature_len"]) == PERMUTATIONS.shape[:2]
    assert facts["log_count"] == pytest.approx(np.log(24), rel=1e-15)
    assert facts["format"] == "positions are whole numbers 1..4, 1 for the first"


def test_version_is_that_of_python(dll):
    assert told(dll.cp_version) == call.library().core.control_Version()
    assert told(dll.cp_version).split()[0] == __version__


def told(function) -> str:
    """Return the text that a function without other arguments writes."""
    needed = out()
    assert function(None, 0, needed, None, 0) == abi.OK
    text = ctypes.create_string_buffer(needed[0])
    assert function(text, needed[0], needed, None, 0) == abi.OK
    assert len(text.value) + 1 == needed[0]
    return text.value.decode()


def test_catalogue_is_that_of_python(dll):
    entries = json.loads(told(dll.cp_catalogue))
    assert entries["structures"] == catalogue()
    meanings = {entry["name"] for entry in entries["capabilities"]}
    assert {name for entry in entries["structures"] for name in entry["capabilities"]} <= meanings
    lists = {entry["key"]: tuple(entry["names"]) for entry in entries["names"]}
    assert lists == {key: value for key, value in vars(names).items() if key.isupper()}


def test_catalogue_gives_ranges():
    """An int at the end of its range is accepted, and one beyond it refused."""
    entry = next(entry for entry in catalogue() if entry["name"] == "weakorders")
    (n,) = entry["params"]
    assert Description("weakorders", {"n": n["least"]}).space.capabilities
    assert Description("weakorders", {"n": n["most"]}).space.capabilities
    for beyond in (n["least"] - 1, n["most"] + 1):
        with pytest.raises(ValueError):
            len(Description("weakorders", {"n": beyond}).space.capabilities)


def test_routines_in_use_are_not_replaced(dll):
    assert told(dll.cp_blas_status) in ("host", "gonum")
    name, kinds = told(dll.cp_blas_routines).split()[:2]
    for given, expected in (
        ((name.encode(), kinds.encode(), None), "at address 0"),
        ((name.encode(), b"ci", 1), f"{name} takes the arguments {kinds} here, not ci"),
        ((b"zgemm", b"", 1), "no use for a routine called zgemm"),
        ((None, None, 1), "no use for a routine called "),
    ):
        a = Answer(dll.cp_blas_offer, *given)
        assert a.status == abi.EVALUE
        assert expected in a.message or "after activation" in a.message
    a = Answer(dll.cp_blas_open, b"no/such/library.so")
    assert a.status == abi.EVALUE
    assert "no/such/library.so" in a.message or "already active" in a.message


@pytest.mark.parametrize(
    "function", [name for name, parameters in functions().items() if "cp_control *control" in parameters]
)
def test_cancelled_calls_say_so(dll, function):
    control = abi.Control(cancel=1)
    changed = arguments(function)
    changed[[p.split()[-1] for p in functions()[function]].index("*control")] = ctypes.addressof(control)
    assert Answer(getattr(dll, function), *changed).status == abi.ECANCELLED


@pytest.mark.parametrize("in_worker", [False, True])
def test_panic_is_an_error(in_worker):
    with pytest.raises(RuntimeError, match="test of a panic in"):
        call.call("cp_test_panic", in_worker)


def test_big_counts_come_through_exactly():
    assert structure_count(Description("labelsets", {"n": 20000, "size": -1})) == 2**20000


def test_same_seed_same_sample_for_any_workers():
    one = structure_sample(PERMUTATIONS, 1000, 3, n_threads=1)
    assert np.array_equal(one, structure_sample(PERMUTATIONS, 1000, 3, n_threads=2))
    assert np.array_equal(one[:10], structure_sample(PERMUTATIONS, 10, 3))
    assert not np.array_equal(one, structure_sample(PERMUTATIONS, 1000, 4))


def test_arguments_are_converted_or_refused():
    y = [[1, 2, 3, 4]]
    assert structure_embed(PERMUTATIONS, np.array(y, dtype=np.int8)).shape == (1, D)
    assert structure_embed(PERMUTATIONS, np.asfortranarray(np.array(y * 3))).shape == (3, D)
    with pytest.raises(TypeError):
        structure_embed(PERMUTATIONS, np.array(y, dtype=float))
    with pytest.raises(ValueError):
        structure_embed(PERMUTATIONS, np.array(y, dtype=np.int64) + 2**40)
    with pytest.raises(ValueError):
        structure_embed(PERMUTATIONS, y[0])
    with pytest.raises(ValueError):
        decode(PERMUTATIONS, np.zeros((2, D + 1)))
    with pytest.raises(RowError) as caught:
        structure_embed(PERMUTATIONS, [[1, 2, 3, 4], [0, 1, 2, 3]])
    assert caught.value.row == 1


def test_what_is_counted_is_said(dll):
    """Functions that count steps say what they are; the others leave them."""
    text = (Path(__file__).parents[2] / "capi" / "combpred.h").read_text(encoding="utf-8")
    silent, counting = [], []
    for name, parameters in functions().items():
        names = [p.split()[-1] for p in parameters]
        if "*control" not in names or name not in CALLS:
            continue
        comment = re.findall(r"/\*.*?\*/", text[: text.index(f"int32_t {name}(")], re.S)[-1]
        control, given = abi.Control(), arguments(name)
        given[names.index("*control")] = control
        Answer(getattr(dll, name), *given)
        counting += [name] * (control.step != 0)
        silent += [name] * (control.step != 0 and "control" not in comment)
    assert silent == []
    assert len(counting) > 30
