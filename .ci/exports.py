"""Prints the names that a shared library exports, sorted; fails where its headers are not as they should be.

Usage: python exports.py LIBRARY. A library for Linux must have its relocations read-only once loaded and all bound at
the start (RELRO, BIND_NOW), an unexecutable stack, and no table of symbols but the dynamic one. With --python before
the library, which is then one for Linux: the names that it looks for in Python, as lines of a .def file.
"""

import re
import sys

import pefile
from elftools.elf.elffile import ELFFile


def fail(reason):
    sys.exit(f"{sys.argv[-1]}: {reason}")


def of_linux(path):
    with open(path, "rb") as stream:
        elf = ELFFile(stream)
        segments = {segment["p_type"]: segment for segment in elf.iter_segments()}
        if "PT_GNU_RELRO" not in segments:
            fail("no RELRO")
        stack = segments.get("PT_GNU_STACK")
        if stack is None or stack["p_flags"] & 1:
            fail("the stack is executable")
        dynamic = elf.get_section_by_name(".dynamic")
        tags = {tag.entry.d_tag: tag.entry.d_val for tag in dynamic.iter_tags()}
        if not (tags.get("DT_FLAGS", 0) & 8 or tags.get("DT_FLAGS_1", 0) & 1 or "DT_BIND_NOW" in tags):
            fail("no BIND_NOW")
        if {"DT_RPATH", "DT_RUNPATH", "DT_TEXTREL"} & set(tags):
            fail("it has a path to search libraries in, or relocations in its code")
        sections = {section.name for section in elf.iter_sections()}
        if found := [name for name in sections if name == ".symtab" or name.startswith((".debug", ".zdebug"))]:
            fail(f"not stripped: {found}")
        symbols = elf.get_section_by_name(".dynsym").iter_symbols()
        return [s.name for s in symbols if s["st_shndx"] != "SHN_UNDEF" and s["st_info"]["bind"] != "STB_LOCAL"]


def of_windows(path):
    library = pefile.PE(path)
    traits = library.OPTIONAL_HEADER.DllCharacteristics
    # Addresses are random, and data is never executed.
    if not (traits & 0x0040 and traits & 0x0100):
        fail("no ASLR, or no DEP")
    return [symbol.name.decode() for symbol in library.DIRECTORY_ENTRY_EXPORT.symbols]


def of_python(path):
    with open(path, "rb") as stream:
        symbols = ELFFile(stream).get_section_by_name(".dynsym").iter_symbols()
        names = [s.name for s in symbols if s["st_shndx"] == "SHN_UNDEF" and s.name.lstrip("_").startswith("Py")]
    data = re.compile(r"PyExc_|_Py_\w+Struct$|Py\w+_Type$")
    return [f"{name} DATA" if data.match(name) else name for name in names]


def of_library(path):
    return of_windows(path) if path.endswith(".pyd") else of_linux(path)


listed = of_python if sys.argv[1] == "--python" else of_library
print("\n".join(sorted(listed(sys.argv[-1]))))
