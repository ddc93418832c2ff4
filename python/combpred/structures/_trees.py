"""What structures on a rooted tree share: its nodes, and how trees and paths of other formats become theirs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from .._data.converters import ROOT, parents_of_paths, paths_of, paths_of_nested, rows_in
from .._data.names import Names
from .._data.targets import TargetError, meant, summary
from .._data.trees import Tree
from ._base import Structure

_Trees = TypeVar("_Trees", bound="Trees")  # typing.Self needs Python 3.11


class Trees(Structure):
    """Base class of structures whose outputs are nodes of a rooted tree, or sets of them."""

    parent: ArrayLike | Mapping[Hashable, Hashable]
    nodes: Sequence[Any] | None

    def _tree(self) -> Tree:
        return Tree(self.parent, self.nodes)

    def _checked_tree(self) -> Tree:
        """Return the tree; ValueError where the library finds that it is none."""
        _ = self.space
        return self._tree()

    @property
    def _names(self) -> Names | None:
        return self._tree().names

    @classmethod
    def from_paths(cls: type[_Trees], paths: Any, *, root: Any = ROOT, **options: Any) -> _Trees:
        """Return the structure of a tree that is given by paths from the top down, such as the rows of y.

        Parameters
        ----------
        paths : sequence of n paths, or array or data frame of shape (n, n_levels)
            A path lists names, strings or integers, from the top down. A row may also be a list of several paths. This
            is the form of y in the library hiclass.
        root : str or int, default="(root)"
            Name of the node that several tops are joined under. Paths may begin with it.
        **options
            Other parameters of the structure, such as ``allowed="leaves"``.

        Returns
        -------
        structure : Hierarchy or Subtrees
            With names of the nodes, in the order of their first occurrence. A name that occurs in several places stands
            for several nodes, which are called by their paths, divided by ">".

        Raises
        ------
        ValueError
            When a row has no path; names the row.

        See Also
        --------
        to_paths : Makes paths of y.

        Examples
        --------
        >>> from combpred.structures import Hierarchy
        >>> Hierarchy.from_paths([["animal", "mammal", "cat"], ["animal", "fish", ""], ["plant"]]).nodes
        ['(root)', 'animal', 'mammal', 'cat', 'fish', 'plant']
        >>> Hierarchy.from_paths([["red", "other"], ["blue", "other"]]).nodes
        ['(root)', 'red', 'red>other', 'blue', 'blue>other']
        """
        listed = (path for i, row in enumerate(rows_in(paths, "paths")) for path in paths_of(row, i, "paths"))
        parent, names = parents_of_paths(listed, root, "paths")
        return cls(parent, nodes=names, **options)

    @classmethod
    def from_nested(cls: type[_Trees], nested: Any, *, root: Any = ROOT, **options: Any) -> _Trees:
        """Return the structure of a tree that is given by nested dicts and lists.

        Parameters
        ----------
        nested : dict or list
            Dicts map names to what is below them, another dict, a list of names and dicts, a name, or nothing: None or
            an empty one.
        root : str or int, default="(root)"
            Name of the node that several tops are joined under.
        **options
            Other parameters of the structure, such as ``allowed="leaves"``.

        Returns
        -------
        structure : Hierarchy or Subtrees
            With names of the nodes, each before those below it, in the order given; names that occur several times as
            in `from_paths`.

        Raises
        ------
        TypeError, ValueError
            When a name is neither a string nor an integer.

        See Also
        --------
        to_nested : The inverse.

        Examples
        --------
        >>> from combpred.structures import Subtrees
        >>> Subtrees.from_nested({"animal": {"mammal": ["cat", "dog"], "fish": None}}).nodes
        ['animal', 'mammal', 'cat', 'dog', 'fish']
        """
        parent, names = parents_of_paths(paths_of_nested(nested), root, "nested")
        return cls(parent, nodes=names, **options)

    @classmethod
    def from_networkx(cls: type[_Trees], graph: Any, *, root: Any = ROOT, **options: Any) -> _Trees:
        """Return the structure of a tree that is a directed graph of networkx.

        Parameters
        ----------
        graph : networkx.DiGraph
            Its edges lead from parents to children; its nodes are strings or integers.
        root : str or int, default="(root)"
            Name of the node that several tops are joined under.
        **options
            Other parameters of the structure, such as ``allowed="leaves"``.

        Returns
        -------
        structure : Hierarchy or Subtrees
            With names of the nodes, in the order of the graph.

        Raises
        ------
        TypeError, ValueError
            When the graph is not directed, or no tree; names the node.

        See Also
        --------
        to_networkx : The inverse.

        Examples
        --------
        >>> import networkx as nx
        >>> from combpred.structures import Hierarchy
        >>> Hierarchy.from_networkx(nx.DiGraph([("animal", "fish"), ("animal", "mammal"), ("mammal", "cat")])).nodes
        ['animal', 'fish', 'mammal', 'cat']
        """
        if not hasattr(graph, "is_directed") or not graph.is_directed():
            raise TypeError(f"graph must be a networkx.DiGraph with edges from parent to child, got {graph!r:.60}")
        odd = next((name for name, n_parents in graph.in_degree() if n_parents > 1), None)
        if odd is not None:
            parents = summary(list(graph.predecessors(odd)))
            raise ValueError(f"graph: {odd!r} has several parents, {parents}; a node of a tree has one")
        above = {name: next(iter(graph.predecessors(name)), None) for name in graph}
        if list(above.values()).count(None) > 1:
            above = {root: None, **{name: root if parent is None else parent for name, parent in above.items()}}
        tree = Tree(above)
        made = cls(tree.parent, nodes=list(tree.names or ()), **options)
        _ = made.space  # refuses cycles
        return made

    def to_nested(self) -> dict[Any, Any]:
        """Return the tree as nested dicts, the inverse of `from_nested`.

        Returns
        -------
        nested : dict
            From the root to what is below it; leaves map to empty dicts.

        Examples
        --------
        >>> from combpred.structures import Hierarchy
        >>> Hierarchy([-1, 0, 0], nodes=["animal", "cat", "dog"]).to_nested()
        {'animal': {'cat': {}, 'dog': {}}}
        """
        tree = self._checked_tree()
        levels: list[dict[Any, Any]] = [{} for _ in tree.parent]
        top: dict[Any, Any] = {}
        for node, name in enumerate(self._index(tree)):
            (top if tree.parent[node] < 0 else levels[tree.parent[node]])[name] = levels[node]
        return top

    def to_networkx(self) -> Any:
        """Return the tree as a directed graph of networkx, the inverse of `from_networkx`.

        Returns
        -------
        graph : networkx.DiGraph
            With an edge from each parent to each of its children.

        Examples
        --------
        >>> from combpred.structures import Hierarchy
        >>> Hierarchy([-1, 0, 0], nodes=["animal", "cat", "dog"]).to_networkx().edges
        OutEdgeView([('animal', 'cat'), ('animal', 'dog')])
        """
        import networkx

        tree = self._checked_tree()
        names = list(self._index(tree))
        graph = networkx.DiGraph()
        graph.add_nodes_from(names)
        graph.add_edges_from((names[above], name) for above, name in zip(tree.parent, names, strict=True) if above >= 0)
        return graph

    def to_paths(self, y: Any) -> list[Any]:
        """Return paths from the top down for y.

        Parameters
        ----------
        y : array-like of n rows
            In the structure's format, such as predictions.

        Returns
        -------
        paths : list of n paths
            For `Subtrees` each row is a list of paths, one to each of its lowest nodes. A root that is called "(root)"
            is left out of paths that go on. A node whose name is its path, divided by ">", is listed by its last name.

        Raises
        ------
        ValueError
            When a row of y is no output; names the row.

        See Also
        --------
        from_paths : Makes a structure of paths.

        Examples
        --------
        >>> from combpred.structures import Hierarchy
        >>> tree = Hierarchy.from_nested({"animal": {"mammal": ["cat", "dog"], "fish": None}})
        >>> tree.to_paths(["cat", "fish"])
        [['animal', 'mammal', 'cat'], ['animal', 'fish']]
        """
        tree = self._checked_tree()
        names = list(self._index(tree))

        def path(node: int) -> list[Any]:
            found: list[Any] = []
            while node >= 0:
                if tree.parent[node] >= 0 or names[node] != ROOT or not found:
                    found.append(names[node])
                node = int(tree.parent[node])
            short: list[Any] = []
            for name in found[::-1]:
                above = ">".join(map(str, short)) + ">"
                short.append(name.removeprefix(above) if isinstance(name, str) else name)
            return short

        return [list(map(path, row)) if isinstance(row, list) else path(row) for row in self._ends(tree, y)]

    def _index(self, tree: Tree) -> dict[Any, int]:
        """Return the numbers of nodes by their names, in order."""
        return {name: node for node, name in enumerate(range(len(tree)) if tree.names is None else tree.names)}

    def _nodes_on(self, path: Sequence[Any], index: Mapping[Any, int], i: int, argument: str) -> list[int]:
        """Return the nodes on a path, whose names may be short for those that are called by their paths."""
        found = []
        for depth, name in enumerate(path, 1):
            called = (">".join(map(str, path[start:depth])) for start in (0, 1))  # the root may be left out
            node = next((index[each] for each in (*called, name) if each in index), None)
            if node is None:
                names = list(index)
                said = f"{name!r} is no node; the nodes are {summary(names)}{meant(name, names)}"
                raise TargetError(i, said, argument)
            found.append(node)
        return found

    @abstractmethod
    def _ends(self, tree: Tree, y: Any) -> list[Any]:
        """Return the node of each row of y, or a list of the lowest ones."""
