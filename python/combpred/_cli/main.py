"""The command line: ``combpred demo | info | fit | predict | evaluate``, also as ``python -m combpred``."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Sequence
from pkgutil import resolve_name
from typing import Any

from .._lib.versions import __version__

_READ = 'options of pandas.read_csv or read_parquet as JSON, such as \'{"sep": ";", "decimal": ","}\''
#: Each command: the function that runs it, what it is for, and its options.
_COMMANDS: dict[str, tuple[str, str, dict[str, dict[str, Any]]]] = {
    "demo": ("demo:demo", "compare with scikit-learn on data sets that it ships", {
        "--plot": {"default": "combpred-demo.png", "metavar": "FILE", "help": "where the picture goes"},
    }),
    "info": ("commands:info", "list structures, estimators and metrics, or describe a model file", {
        "model": {"nargs": "?", "metavar": "MODEL"},
    }),
    "fit": ("commands:fit", "train on a table and save the model", {
        "file": {"metavar": "FILE", "help": "CSV or .parquet; - for CSV on standard input"},
        "--structure": {"required": True, "metavar": "NAME|JSON",
                        "help": 'such as permutations, or \'{"name": "labelsets", "size": 2}\''},
        "--targets": {"required": True, "metavar": "COLUMNS", "help": "names or patterns, separated by commas"},
        "--model": {"required": True, "metavar": "FILE", "help": "where the model goes"},
        "--categorical": {"default": "", "metavar": "COLUMNS", "help": "inputs that become one 0/1 column a category"},
        "--drop": {"default": "", "metavar": "COLUMNS", "help": "columns to leave out"},
        "--estimator": {"default": "StructuredRidgeCV", "metavar": "NAME", "help": "default: %(default)s"},
        "--params": {"type": json.loads, "default": {}, "metavar": "JSON", "help": "parameters of the estimator"},
        "--read": {"type": json.loads, "default": {}, "metavar": "JSON", "help": _READ},
    }),
    "predict": ("commands:predict", "predict for the rows of a table", {
        "file": {"metavar": "FILE", "help": "as for fit; targets may be missing"},
        "--model": {"required": True, "metavar": "FILE"},
        "--output": {"default": "-", "metavar": "FILE", "help": "CSV or .parquet; default: CSV on standard output"},
        "--proba": {"action": "store_true", "help": "predict probabilities, or marginals, in place of structures"},
        "--constraints": {"type": json.loads, "metavar": "JSON", "help": "one object for all rows, or a list of them"},
        "--read": {"type": json.loads, "metavar": "JSON", "help": "default: as for fit"},
    }),
    "evaluate": ("commands:evaluate", "measure predictions for a table with targets", {
        "file": {"metavar": "FILE", "help": "as for fit"},
        "--model": {"required": True, "metavar": "FILE"},
        "--metric": {"action": "append", "metavar": "NAME", "help": "may be repeated; default: the structure's own"},
        "--cv": {"type": int, "metavar": "K", "help": "K-fold cross-validation: train anew on each fold"},
        "--read": {"type": json.loads, "metavar": "JSON", "help": "default: as for fit"},
    }),
}  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    what = "Learn to predict rankings, label sets, hierarchies and other structures."
    all_of_it = argparse.ArgumentParser(prog="combpred", description=what)
    all_of_it.add_argument("--version", action="version", version=f"combpred {__version__}")
    commands = all_of_it.add_subparsers(dest="command", required=True)
    for name, (run, purpose, options) in _COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
        command.set_defaults(run=run)
        for option, how in options.items():
            command.add_argument(option, **how)
    return all_of_it


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, default=None
        Without the name of the program; None: those of the process.

    Returns
    -------
    status : int
        0; 2 for a mistake of the user, explained in one line on standard error; 130 after Ctrl-C.
    """
    options = parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: print(f"combpred: warning: {message}", file=sys.stderr)
            resolve_name(f"{__package__}.{options.run}")(options)
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("combpred: interrupted", file=sys.stderr)
        return 130
    except (ValueError, TypeError, LookupError, OSError, RuntimeError, MemoryError, ImportError) as error:
        print(f"combpred: error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0
