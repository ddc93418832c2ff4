"""What structures on a rooted tree share: its nodes, and how trees and paths of other formats become theirs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.listings import as_table
from .._data.names import Names, joined
from .._data.taxonomies import (
    ROOT,
    nested_of,
    node_of_path,
    parents_of_nested,
    parents_of_networkx,
    parents_of_paths,
    prefixes,
    read_paths,
)
from .._data.trees import Tree
from ._base import Structure
from ._converter import converter_of

_Trees = TypeVar("_Trees", bound="Trees")  # typing.Self needs Python 3.11


class Trees(Structure):
    """Base class of structures whose outputs are nodes of a rooted tree, or sets of them."""

    parent: ArrayLike | Mapping[Hashable, Hashable]
    nodes: Sequence[Any] | None

    def _tree(self) -> Tree:
        return Tree(self.parent, self.nodes)

    @property
    def _names(self) -> Names | None:
        return self._tree().names

    @classmethod
    def _of(cls: type[_Trees], found: tuple[NDArray[np.int32], list[Any]], options: dict[str, Any]) -> _Trees:
        parent, names = found
        made = cls(parent, nodes=names, **options)
        made._tree()  # refuses cycles
        return made

    @classmethod
    def from_paths(
        cls: type[_Trees],
        paths: Any,
        *,
        sep: str | None = None,
        root: Any = ROOT,
        qualified: bool = False,
        **options: Any,
    ) -> _Trees:
        """Return the structure of a tree that is given by paths from the top down, such as the rows of y.

        Parameters
        ----------
        paths : sequence of n paths, or array or data frame of shape (n, n_levels)
            A path lists names, strings or integers, from the top down; paths of a table may end in "", None or NaN. A
            row may also be a list of several paths. This is the form of y in the library hiclass.
        sep : str, default=None
            What divides the names where paths are strings, such as ">".
        root : str or int, default="(root)"
            Name of the node that several tops are joined under. Paths may begin with it.
        qualified : bool, default=False
            Whether nodes are called by their paths, divided by `sep` or ">", so that a name may occur in several
            branches.
        **options
            Other parameters of the structure, such as ``allowed="leaves"``.

        Returns
        -------
        structure : Hierarchy or Subtrees
            With names of the nodes, in the order of their first occurrence.

        Raises
        ------
        ValueError
            When a row has no path, or a name is in two places; names both rows.

        See Also
        --------
        y_from_paths : Makes y of paths.
        to_paths : Makes paths of y.

        Examples
        --------
        >>> from combpred.structures import Hierarchy
        >>> paths = [["animal", "mammal", "cat"], ["animal", "fish", ""], ["plant"]]
        >>> tree = Hierarchy.from_paths(paths)
        >>> tree.nodes
        ['(root)', 'animal', 'mammal', 'cat', 'fish', 'plant']
        >>> tree.y_from_paths(paths).tolist()
        ['cat', 'fish', 'plant']
        """
        return cls._of(parents_of_paths(paths, "paths", sep, root, qualified), options)

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
            With names of the nodes, each before those below it, in the order given.

        Raises
        ------
        TypeError, ValueError
            When a name occurs twice, or is neither a string nor an integer.

        See Also
        --------
        to_nested : The inverse.

        Examples
        --------
        >>> from combpred.structures import Subtrees
        >>> Subtrees.from_nested({"animal": {"mammal": ["cat", "dog"], "fish": None}}).nodes
        ['animal', 'mammal', 'cat', 'dog', 'fish']
        """
        return cls._of(parents_of_nested(nested, root), options)

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
        return cls._of(parents_of_networkx(graph, root), options)

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
        tree = self._tree()
        return nested_of(tree.parent, self._index(tree))

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

        tree = self._tree()
        names = list(self._index(tree))
        graph = networkx.DiGraph()
        graph.add_nodes_from(names)
        graph.add_edges_from((names[above], name) for above, name in zip(tree.parent, names, strict=True) if above >= 0)
        return graph

    @converter_of
    def y_from_paths(
        self,
        paths: Any,
        *,
        sep: str | None = None,
        root: Any = ROOT,
        qualified: bool = False,
        as_frame: bool = False,
    ) -> Any:
        """Return y for paths from the top down.

        Parameters
        ----------
        paths : sequence of n paths, or array or data frame of shape (n, n_levels)
            As in `from_paths`. They begin at the root or at one of its children. A row of `Subtrees` may be a list of
            several paths.
        sep : str, default=None
            What divides the names where paths are strings.
        root : str or int, default="(root)"
        qualified : bool, default=False
            As in `from_paths`.
        as_frame : bool, default=False
            Whether to return a data frame of pandas with a column for each node, or a series for `Hierarchy`.

        Returns
        -------
        y : ndarray, DataFrame or Series
            For `Hierarchy` the names of the last nodes ``(n,)``, or their numbers if nodes have no names. For
            `Subtrees` 0/1 of shape ``(n, n_nodes)``, dtype int32: 1 for the nodes of all paths of the row.

        Raises
        ------
        ValueError
            When a row is no path of the tree; names the row and the node.

        Examples
        --------
        >>> from combpred.structures import Subtrees
        >>> tree = Subtrees.from_nested({"animal": {"mammal": ["cat", "dog"], "fish": None}})
        >>> tree.y_from_paths([["animal>mammal>cat", "animal>fish"], ["animal>mammal"]], sep=">")
        array([[1, 1, 1, 0, 1],
               [1, 1, 0, 0, 0]], dtype=int32)
        """
        tree = self._tree()
        index = self._index(tree)

        def node(path: list[Any], i: int) -> int:
            below = path[len(path) > 1 and path[0] == root and root in index :]
            return node_of_path(tree, index, prefixes(below, i, "paths", sep, qualified), path, i, "paths")

        rows = enumerate(read_paths(paths, "paths", sep, index))
        y = self._y_of_nodes(tree, [[node(path, i) for path in row] for i, row in rows])
        return as_table(y, tree.names, as_frame, paths)

    @converter_of
    def to_paths(self, y: Any, *, sep: str | None = None, root: Any = ROOT, qualified: bool = False) -> list[Any]:
        """Return paths from the top down for y, the inverse of `y_from_paths`.

        Parameters
        ----------
        y : array-like of n rows
            In the structure's format, such as predictions.
        sep : str, default=None
            What divides the names where paths shall be strings; None: paths are lists.
        root : str or int, default="(root)"
            A root of this name is left out of paths that go on.
        qualified : bool, default=False
            Whether nodes are called by their paths, as in `from_paths`.

        Returns
        -------
        paths : list of n paths
            For `Subtrees` each row is a list of paths, one to each of its lowest nodes.

        Raises
        ------
        ValueError
            When a row of y is no output; names the row.

        Examples
        --------
        >>> from combpred.structures import Hierarchy
        >>> tree = Hierarchy.from_nested({"animal": {"mammal": ["cat", "dog"], "fish": None}})
        >>> tree.to_paths(["cat", "fish"])
        [['animal', 'mammal', 'cat'], ['animal', 'fish']]
        >>> tree.to_paths(["cat", "fish"], sep=">")
        ['animal>mammal>cat', 'animal>fish']
        """
        tree = self._tree()
        names = list(self._index(tree))

        def path(node: int) -> Any:
            found: list[Any] = []
            while node >= 0:
                above = int(tree.parent[node])
                if above >= 0 or names[node] != root or not found:
                    prefix = f"{names[above]}{sep or '>'}" if qualified and above >= 0 and names[above] != root else ""
                    found.append(names[node][len(prefix) :] if prefix else names[node])
                node = above
            return joined(found[::-1], sep)

        return self._paths_of_y(tree, y, path)

    def _index(self, tree: Tree) -> dict[Any, int]:
        """Return the numbers of nodes by their names, in order."""
        return {name: node for node, name in enumerate(range(len(tree)) if tree.names is None else tree.names)}

    @abstractmethod
    def _y_of_nodes(self, tree: Tree, ends: list[list[int]]) -> NDArray[Any]:
        """Return y for the last nodes of the paths of each row."""

    @abstractmethod
    def _paths_of_y(self, tree: Tree, y: Any, path: Callable[[int], Any]) -> list[Any]:
        """Return what `path` makes of each node that y has as the end of a path."""
