"""Rooted trees as people keep them, paths from the top down, nested dicts and graphs: read as parents, and written."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .entries import is_missing, row_entries, table_rows
from .names import checked_names
from .targets import TargetError, meant, summary
from .trees import Tree

ROOT = "(root)"
"""What the root is called that several tops are joined under."""

_REMEDY = "one name stands for one node: rename one of them"
_LISTS = (list, tuple, np.ndarray)


def read_paths(rows: Any, argument: str, sep: str | None, names: Container[Any] = ()) -> list[list[list[Any]]]:
    """Return the paths of each row, names from the top down; of strings they are taken apart at `sep`.

    `names` are those that there are, where they are known.

    Raises
    ------
    TargetError
        For the first row without a path.
    """
    found = []
    inner = _LISTS if sep is None else (str, *_LISTS)
    for i, row in enumerate(table_rows(rows, argument, sep)):
        several = isinstance(row, _LISTS) and any(isinstance(path, inner) for path in row)
        paths = [] if not isinstance(row, _LISTS) and is_missing(row) else row if several else [row]
        read = [path for each in paths if (path := row_entries(each, i, argument, sep, True, names))]
        if not read:
            raise TargetError(i, f"there is no path; drop the row, or give [{ROOT!r}] for a root above all", argument)
        found.append(read)
    return found


def parents_of_paths(
    rows: Any, argument: str, sep: str | None, root: Any, qualified: bool
) -> tuple[NDArray[np.int32], list[Any]]:
    """Return the parent of each node, and their names, of paths from the top down.

    Parameters
    ----------
    rows : sequence of n paths, or of n lists of paths
        As `read_paths` takes them.
    argument : str
        What messages call them.
    sep : str or None
    root : str or int
        Name of the node that several tops are joined under; paths may begin with it.
    qualified : bool
        Whether nodes are called by their paths.

    Raises
    ------
    TargetError
        For the first row that puts a name under two others.
    """
    above: dict[Any, Any] = {}
    first: dict[Any, int] = {}
    joined = False
    read = read_paths(rows, argument, sep)
    for i, paths in enumerate(read):
        for path in paths:
            joined |= path[0] == root
            parent, below = None, path[path[0] == root :]
            known = next(iter(above), None if qualified or not below else below[0])
            odd = next((name for name in below if not qualified and type(name) is not type(known)), None)
            if odd is not None:
                raise TargetError(i, f"found {odd!r} beside {known!r}: make all names strings, or integers", argument)
            for node in prefixes(below, i, argument, sep, qualified):
                if node not in above:
                    above[node], first[node] = parent, i
                elif above[node] != parent:
                    here, there = _place(parent), _place(above[node])
                    shown = (sep or ">").join(map(str, path))
                    how = f"{_REMEDY}, or pass qualified=True, which calls nodes by their paths"
                    if None in (parent, above[node]) and all(len(each) == 2 for paths in read for each in paths):
                        pairs = argument if isinstance(rows, (list, tuple)) else f"{argument}.to_numpy().tolist()"
                        how = f"where rows are pairs of parent and child, from_networkx reads networkx.DiGraph({pairs})"
                    said = f"{node!r} is {here} in {shown!r} and {there} in row {first[node]}; {how}"
                    raise TargetError(i, said, argument)
                parent = node
    return _joined(above, root, argument, joined)


def prefixes(path: list[Any], row: int, argument: str, sep: str | None, qualified: bool) -> list[Any]:
    """Return what the nodes of a path are called: by themselves or, if `qualified`, by the path that leads there."""
    if not qualified:
        return path
    divider = sep or ">"
    names = [str(name) for name in path]
    odd = next((name for name in names if divider in name), None)
    if odd is not None:
        raise TargetError(row, f"{odd!r} holds {divider!r}, which divides names in qualified ones: rename it", argument)
    return [divider.join(names[: depth + 1]) for depth in range(len(names))]


def parents_of_nested(nested: Any, root: Any) -> tuple[NDArray[np.int32], list[Any]]:
    """Return the parent of each node, and their names, of dicts and lists: depth first, in their order."""
    if isinstance(nested, (list, tuple)) and nested and all(type(e) is tuple and len(e) == 2 for e in nested):
        how = "where pairs are of parent and child, from_networkx reads networkx.DiGraph(nested)"
        how = "pass dict(nested)" if any(isinstance(below, (list, tuple, dict)) for _, below in nested) else how
        raise TypeError(f"nested: found the pair {nested[0]!r:.60}; {how}")
    above: dict[Any, Any] = {}
    stack = [(None, _members(nested))]
    while stack:
        parent, level = stack[-1]
        for name, below in level:
            if name in above:
                raise ValueError(f"nested: {name!r} is {_place(above[name])} and {_place(parent)}; {_REMEDY}")
            above[name] = parent
            stack.append((name, _members(below)))
            break
        else:
            stack.pop()
    return _joined(above, root, "nested")


def parents_of_networkx(graph: Any, root: Any) -> tuple[NDArray[np.int32], list[Any]]:
    """Return the parent of each node, and their names, of a directed graph of networkx, in its order."""
    if not hasattr(graph, "is_directed"):
        how = "; Hierarchy.from_nested makes a tree of dicts" if isinstance(graph, dict) else ""
        how = ": pass networkx.DiGraph(graph)" if isinstance(graph, list) else how
        raise TypeError(f"graph must be a DiGraph of networkx, got {graph!r:.60}{how}")
    if not graph.is_directed():
        raise ValueError("graph: its edges must lead from parent to child; networkx.bfs_tree(graph, root) directs them")
    above: dict[Any, Any] = {}
    for name in graph:
        parents = list(graph.predecessors(name))
        if len(parents) > 1:
            raise ValueError(
                f"graph: {name!r} is {_place(parents[0])} and {_place(parents[1])}, but edges lead from the one parent "
                "to each child; pass graph.reverse() where they lead from child to parent"
            )
        above[name] = parents[0] if parents else None
    return _joined(above, root, "graph")


def nested_of(parent: NDArray[np.int32], names: Iterable[Any]) -> dict[Any, Any]:
    """Return a tree as nested dicts, leaves as empty ones."""
    levels: list[dict[Any, Any]] = [{} for _ in parent]
    top: dict[Any, Any] = {}
    for node, name in enumerate(names):
        (top if parent[node] < 0 else levels[parent[node]])[name] = levels[node]
    return top


def node_of_path(tree: Tree, index: Mapping[Any, int], path: list[Any], shown: Any, i: int, argument: str) -> int:
    """Return the node at the end of a path, after checking each step; the root of several tops may be left out.

    Parameters
    ----------
    tree : Tree
    index : mapping
        From names to nodes.
    path : list
        Names, qualified if those of the tree are.
    shown : list
        The path as it is written.
    i : int
        The row, for messages.
    argument : str
        What messages call the rows.

    Raises
    ------
    TargetError
        When there is no such node, or its way up is another one.
    """
    unknown = next((name for name in path if name not in index), None)
    if unknown is not None:
        names = list(index)
        raise TargetError(i, f"{unknown!r} is no node; the nodes are {summary(names)}{meant(unknown, names)}", argument)
    nodes = [index[name] for name in path]
    for step, node in enumerate(nodes):
        above = int(tree.parent[node])
        ends_there = (above < 0 or tree.parent[above] < 0) if step == 0 else nodes[step - 1] == above
        if not ends_there:
            names = list(index)
            place = "the root" if above < 0 else f"under {names[above]!r}"
            way = [node]
            while (above := int(tree.parent[way[-1]])) >= 0:
                way.append(above)
            right = [names[each] for each in way[::-1]]
            raise TargetError(i, f"{shown} has {path[step]!r}, which is {place}, its path being {right}", argument)
    return nodes[-1]


def _place(parent: Any) -> str:
    return "at the top" if parent is None else f"under {parent!r}"


def _members(level: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the names at a level of a nested tree, and what is below each."""
    if isinstance(level, Mapping):
        yield from level.items()
    elif isinstance(level, (list, tuple)):
        for each in level:
            yield from _members(each)
    elif isinstance(level, (str, int)):
        yield level, None
    elif level is not None:
        raise TypeError(f"nested: found {level!r:.60}; levels are dicts, lists and names")


def _joined(
    above: dict[Any, Any], root: Any, argument: str, wanted: bool = False
) -> tuple[NDArray[np.int32], list[Any]]:
    """Return the parent of each node, and their names, with several tops joined under a root, or if it is wanted."""
    tops = [name for name, parent in above.items() if parent is None]
    if len(tops) > 1 or wanted:
        if above.get(root) is not None:
            raise ValueError(
                f"{argument}: {summary(tops)} are tops, and {root!r}, the root above them, is the name of "
                "a node below; give root= another name"
            )
        above = {root: None, **{name: root if parent is None else parent for name, parent in above.items()}}
        above[root] = None
    names = list(above)
    if not names:
        raise ValueError(f"{argument} has no nodes; a hierarchy has at least one")
    if not (tops or wanted):
        raise ValueError(
            f"{argument}: {summary(names)} all have parents, so that edges form a cycle: leave one edge out"
        )
    kinds = {type(name) for name in names}
    if kinds == {int, str} and isinstance(root, str) and {type(name) for name in names if name != root} == {int}:
        raise ValueError(f"{argument}: nodes are integers, and so must be the root above {summary(tops)}: give root=")
    odd = next((name for name in names if not isinstance(name, (str, int))), None)
    if odd is not None:
        raise TypeError(
            f"{argument}: the node {odd!r} is neither a string nor an integer; rename it, such as to {str(odd)!r}"
        )
    index = {name: node for node, name in enumerate(checked_names(names, f"{argument}: nodes"))}
    return np.array([-1 if p is None else index[p] for p in above.values()], dtype=np.int32), names
