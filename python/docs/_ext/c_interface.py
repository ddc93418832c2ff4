"""The page about C and Go: sections, comments and declarations of combpred.h, and a sentence for each Go package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_COMMENT = re.compile(r"/\*(.*?)\*/\n?", re.S)
_SECTION = re.compile(r"^/\* ---- (.*?) -+ \*/$", re.M)
_NAMES = re.compile(r"^(?:int32_t (cp_\w+)\(|\} (cp_\w+);|typedef \w+ (cp_\w+);)", re.M)
_ITEM = re.compile(r"- |  +\S")
# Code in prose: handles and constants of the library, fields, buffers with sizes, quoted names, identifiers.
_CODE = re.compile(
    r"\{\"[^}]*\}|\"[^\"\n]*\"|\*?\b[A-Za-z]\w*(?:->\w+|\.[a-z]\w*)+(?:\[[^\]]*\])?|\*?\b[A-Za-z]\w*\[[^\]]*\]|\*[a-z]\w+"
    r"|\b[A-Za-z]+_(?:\.\.\._)?\w+…?"
)
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#$|~])")


def names(header: str) -> list[str]:
    """Return the functions and types that a header declares, in order."""
    text = header.partition("#ifndef")[2]
    return [next(filter(None, found)) for found in _NAMES.findall(text)]


def c_page(header: str) -> str:
    """Return the header as Markdown: its first comment, then each section with a heading for what it declares."""
    manual, _, rest = header.partition("#ifndef")
    known = set(names(header))
    first, *parts = _SECTION.split(rest)
    lines = [*_prose(_COMMENT.search(manual)[1], known)]  # type: ignore[index]
    for title, body in [("Status, control and version", first), *zip(parts[::2], parts[1::2], strict=True)]:
        lines += [f"## {_inline(title, set())}", ""]
        for chunk in re.split(r"\n\n+", body):
            lines += _declared(chunk.strip("\n"), known)
    return "\n".join(lines)


def _declared(chunk: str, known: set[str]) -> Iterator[str]:
    """Yield a heading, the comment and the declaration of what stands between two blank lines."""
    found = [next(filter(None, each)) for each in _NAMES.findall(chunk)]
    comment = _COMMENT.match(chunk)
    code = chunk[comment.end() :] if comment else chunk
    if not found and not comment:
        return  # guards and includes
    if found:
        if len(found) > 1:
            yield "\n".join(f"({name})=" for name in found)
        yield f"### {' '.join(f'`{name}`' for name in found)}\n"
    if comment:
        yield from _prose(comment[1], known - set(found))
    if code.startswith("typedef enum") and "/*" in code:
        yield "\n".join(_choices(code, known)) + "\n"
    elif code.strip() and not code.startswith("#if"):
        yield f"```c\n{code.rstrip()}\n```\n"


def _choices(code: str, known: set[str]) -> Iterator[str]:
    """Yield an item for each value of an enumeration: its comments are too long for lines of code."""
    for name, value, comment in re.findall(r"(CP_\w+) = (\d+),?(?:\s*/\*(.*?)\*/)?", code, re.S):
        said = _inline(" ".join(comment.split()), known)
        yield f"- `{name} = {value}`" + (f": {said}" if said else "")


def _prose(comment: str, known: set[str]) -> Iterator[str]:
    """Yield the paragraphs, lists and programs of a comment as Markdown."""
    text = re.sub(r"^ ?\* ?", "", comment.strip("\n"), flags=re.M).rstrip()
    text = re.sub(r"^ +(?=\S)", "", text, count=1) if text.startswith(" ") else text
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        first = lines[at]
        if not first.strip():
            at += 1
        elif first.startswith("    "):
            end = _end(lines, at, lambda line: line.startswith("    ") or not line.strip())
            yield _program(lines[at:end])
            at = end
        elif _ITEM.match(first):
            indent = len(first) - len(first.lstrip())
            end = _end(lines, at + 1, lambda line, indent=indent: line.strip() and not line[: indent + 1].strip())
            yield _item(lines[at:end], known) + ("" if end < len(lines) and _ITEM.match(lines[end]) else "\n")
            at = end
        else:
            end = _end(lines, at, lambda line: line.strip() and not line.startswith("  ") and not line.startswith("- "))
            yield _paragraph(" ".join(lines[at:end]), known) + "\n"
            at = end


def _end(lines: list[str], at: int, belongs: object) -> int:
    while at < len(lines) and belongs(lines[at]):  # type: ignore[operator]
        at += 1
    return at


def _program(lines: list[str]) -> str:
    text = "\n".join(line[4:] for line in lines).rstrip()
    return f"```{'julia' if 'ccall' in text else 'c'}\n{text}\n```\n"


def _paragraph(text: str, known: set[str]) -> str:
    if shouted := re.match(r"([A-Z ]{6,})([:,]) ", text):  # a heading in capitals
        title, rest = shouted[1].capitalize(), text[shouted.end() :]
        if shouted[2] == ":":
            return f"## {title}\n\n{_inline(rest[0].upper() + rest[1:], known)}"
        return f"## {title}\n\n{_inline(rest.replace('which', 'They', 1), known)}."
    return _inline(text, known)


def _item(lines: list[str], known: set[str]) -> str:
    """Return an item of a list; what is indented by four more than the item is a program in it."""
    bullet = lines[0].startswith("- ")
    words, code = [lines[0].removeprefix("- ").strip()], []
    parts: list[str] = []
    for line in lines[1:]:
        if bullet and line.startswith("      "):
            code.append(line[6:])
            continue
        if code:
            parts += [_inline(" ".join(words), known), "\n\n  ```c\n  " + "\n  ".join(code) + "\n  ```\n\n  "]
            words, code = [], []
        words.append(line.strip())
    if code:
        parts += [_inline(" ".join(words), known), "\n\n  ```c\n  " + "\n  ".join(code) + "\n  ```"]
    else:
        parts.append(_inline(re.sub(r"^(\S+):? {2,}", r"\1: ", " ".join(words)), known))
    return "- " + "".join(parts)


def _inline(text: str, known: set[str]) -> str:
    """Escape a piece of prose, and mark the code in it; names that have a heading become links."""
    done, at = [], 0
    for found in _CODE.finditer(text):
        done.append(_SPECIAL.sub(r"\\\1", text[at : found.start()]))
        code = found[0]
        done.append(f"[`{code}`](#{code})" if code in known else f"`{code}`")
        at = found.end()
    return "".join(done) + _SPECIAL.sub(r"\\\1", text[at:])


# ---- Go --------------------------------------------------------------------------------------------------------------


def packages(core: Path) -> dict[str, str]:
    """Return the first sentence of what each Go package says of itself, by its folder, but for those that test."""
    found = {}
    for file in core.rglob("*.go"):
        folder = file.parent.relative_to(core).as_posix()
        if folder.startswith("internal") or folder == "structure/examples" or file.name.endswith("_test.go"):
            continue
        text = file.read_text(encoding="utf-8")
        if comment := re.search(r"^// Package \w+ ((?:.*\n(?://.*\n)*?))(?://\n|package )", text, re.M):
            words = " ".join(line.removeprefix("//").strip() for line in comment[1].splitlines())
            sentence = re.split(r"(?<=[.]) (?=[A-Z])", words)[0]
            found[folder] = sentence if sentence.endswith(".") else f"{sentence.rstrip(':')} …"  # a formula follows
    return dict(sorted(found.items()))


def go_table(core: Path) -> str:
    """Return a table of the packages of the core, with links to their folders."""
    rows = [
        f"| [`{folder}`](../../core/{folder}) | {_inline(said[0].upper() + said[1:], set())} |"
        for folder, said in packages(core).items()
    ]
    return "\n".join(["| package | what it does |", "| --- | --- |", *rows])
