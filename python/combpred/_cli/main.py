"""The command line: ``combpred demo | fit | predict | evaluate | info``, also as ``python -m combpred``."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from argparse import BooleanOptionalAction
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._lib.names import RIDGE_LOSSES
from .._lib.versions import __version__
from .error import UsageError

_COLUMNS = "names, patterns such as 'L*', or ranges of column numbers such as -14:, separated by commas"
_SELECTIONS = ("--targets", "--inputs", "--categorical", "--drop", "--id")

_FIT = """\
Train on a table and save the model. Inputs are all columns that are not targets, unless --inputs, --drop and --id say
which; numbers are standardised, text becomes one 0/1 column for each category.

Targets are columns of numbers, as the structure has them, or one column of names: "a>b>c" for rankings ("a=b>c" with
ties), "a|b" for label sets, classes and nodes as they are called.

example, label sets in the last 14 columns:
  combpred fit yeast-train.arff.gz --structure labelsets --targets=-14: --kernel rbf --alpha auto --model yeast.model
example, rankings, with the position of each label in columns L1, L2, …:
  combpred fit glass.csv --structure permutations --targets 'L*' --kernel rbf --alpha 0.1 --model glass.model
example, rankings as names, learned by another method:
  combpred fit drinks.csv --targets order --estimator LabelRankingSVM --param C=10 --id person --model drinks.model
example, leaves of a tree, whose file holds {"cat": "mammal", "dog": "mammal", "mammal": null}:
  combpred fit pets.csv --structure hierarchy --param parent=@tree.json --param allowed=leaves \\
    --targets kind --model pets.model
"""
_PREDICT = """\
Predict for every row of a table with the columns that the model was trained on (its targets may be missing).

example:
  combpred predict new.csv --model glass.model --output predicted.csv
example, from and to other programs, with probabilities:
  cat new.csv | combpred predict - --model glass.model --proba | head
"""
_EVALUATE = """\
Predict for a table with targets and print how good the predictions are; or train anew on parts of it, with --cv.

example:
  combpred evaluate yeast-test.arff.gz --model yeast.model --metric hamming_loss --metric ranking_loss
example, five-fold cross-validation on the rows of training:
  combpred evaluate glass.csv --model glass.model --cv 5 --json
"""
_INFO = """\
Print versions and the structures, estimators and metrics there are; with a model file, what the model is.

example:
  combpred info glass.model
"""
_DEMO = """\
Train on data sets that scikit-learn ships, and print a table beside scikit-learn's own estimators: rankings, label
sets and a hierarchy. Takes some seconds and downloads nothing.

example:
  combpred demo --plot demo.png
"""
_Options = dict[Any, dict[str, Any]]  # by the name, or the names, of the option
_FILE: _Options = {"file": {"metavar": "FILE", "help": "CSV, Parquet or ARFF, gzipped or not; - for standard input"}}
_READING: _Options = {
    "--sep": {"metavar": "C", "help": "separates the fields of a CSV file (default: read from its first line)"},
    "--decimal": {"metavar": "C", "help": "the decimal mark (default: a point)"},
    "--thousands": {"metavar": "C", "help": "the mark between thousands (default: none)"},
    "--encoding": {"help": "of a text file (default: utf-8)"},
    "--na-values": {"action": "append", "metavar": "TEXT", "help": "also reads as missing; may be repeated"},
    "--keep-default-na": {
        "action": BooleanOptionalAction,
        "help": "whether NA, null, None and the like read as missing (default: yes)",
    },
    "--no-header": {
        "action": "store_const", "const": False, "dest": "header",
        "help": "the CSV file has no line of names; columns are x0, x1, …",
    },
    ("--id", "--index-col"): {
        "dest": "id", "metavar": "COLUMNS", "help": "are no inputs, but copied to the predictions"
    },
}  # fmt: skip
_MODEL: _Options = {
    "--model": {"required": True, "metavar": "MODEL", "help": "what `combpred fit` saved"},
    "--trusted": {"action": "store_true", "help": "load a pickled model, too, which runs code from the file"},
}
_LEARNING: _Options = {
    "--structure": {"metavar": "NAME", "help": "what the targets are; `combpred info` lists the names (default: "
                    "classes or label sets, as the targets are)"},
    "--targets": {"metavar": "COLUMNS", "help": f"{_COLUMNS} (default: what an ARFF file says)"},
    "--target-sep": {"metavar": "C", "help": "divides the names in a target (default: > in orders, | in sets)"},
    "--model": {"required": True, "metavar": "OUT", "help": "where the model goes"},
    "--estimator": {"metavar": "NAME", "help": "how to learn; `combpred info` lists the names "
                    "(default: StructuredRidge, or StructuredRidgeCV where something is auto)"},
    "--param": {"action": "append", "default": [], "metavar": "NAME=VALUE",
                "help": "parameter of the structure or the estimator as JSON or plain text, or NAME=@FILE for JSON in "
                "a file; may be repeated"},
    "--inputs": {"metavar": "COLUMNS", "help": "as --targets (default: all other columns)"},
    "--drop": {"metavar": "COLUMNS", "help": "columns to leave out"},
    "--categorical": {"metavar": "COLUMNS", "help": "inputs that are categories although they read as numbers"},
    "--labels": {"metavar": "XML", "help": "Mulan's file of the labels, which are the targets of an ARFF file"},
    "--alpha": {"help": "penalty, or auto: the best by leave-one-out (default: 1)"},
    "--loss": {"help": f"{', '.join(RIDGE_LOSSES)}, or auto: what suits the structure (default)"},
    "--kernel": {"help": "linear, poly, rbf, laplacian or cosine, or auto: the best by leave-one-out, with its scale "
                 "(default: linear)"},
    "--gamma": {"metavar": "G", "help": "scale of poly, rbf and laplacian, or the word scale (default: 1 / inputs)"},
    "--degree": {"type": float, "metavar": "D", "help": "degree of poly (default: 3)"},
    "--coef0": {"type": float, "metavar": "C", "help": "constant of poly (default: 1)"},
    "--no-intercept": {"action": "store_true", "help": "leave out the constant input"},
    "--no-scale": {"action": "store_true", "help": "take numbers as they are instead of standardising them"},
    "--impute": {"choices": ("mean", "median", "most_frequent"), "help": "fill in missing inputs that are numbers"},
    "--jobs": {"type": int, "dest": "n_jobs", "metavar": "N", "help": "number of threads of our own loops"},
    "--random-state": {"type": int, "metavar": "SEED", "help": "of estimators that draw at random"},
    "--verbose": {"action": "store_const", "const": 1, "help": "show progress, of estimators that do"},
    "--pickle": {"action": "store_true", "help": "save by joblib instead of skops; loading such a model runs code"},
}  # fmt: skip
_RULES: _Options = {
    "--constraints": {"metavar": "FILE|COLUMN", "help": "JSON: one object for all rows, a list with one for each row, "
                      "or a column with one in each field"},
}  # fmt: skip
_PREDICTING: _Options = {
    "--output": {"metavar": "OUT", "help": "CSV or .parquet (default, and -: CSV on standard output)"},
    "--proba": {"action": "store_true", "help": "add probabilities of classes, labels, pairs or entries of ψ"},
    "--certificate": {"action": "store_true", "help": "add scores, and how close to the largest they are proven to be"},
}  # fmt: skip
_EVALUATING: _Options = {
    "--metric": {"action": "append", "metavar": "NAME", "help": "function of combpred.metrics; may be repeated "
                 "(default: the structure's own metric and zero_one_loss)"},
    "--cv": {"type": int, "metavar": "K", "help": "train on K−1 of K parts of the rows and predict for the other"},
    "--json": {"action": "store_true", "help": "print JSON instead of a table"},
    "--plot": {"metavar": "OUT", "help": "draw the metrics of single rows, and how reliable probabilities are"},
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, default=None
        Without the name of the program; None: those of the process.

    Returns
    -------
    status : int
        0; 2 for a mistake of the user, explained on standard error; 130 after Ctrl-C.
    """
    parser = _parser()
    options = parser.parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    if options.command is None:
        parser.print_help()
        return 0
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_once(set())
            _run(options)
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("combpred: interrupted", file=sys.stderr)
        return 130
    except (UsageError, ValueError, TypeError, OSError, MemoryError) as error:
        if options.debug:
            raise
        print(f"combpred: error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="combpred", description="Learn to predict rankings, label sets, hierarchies and other structures."
    )
    parser.add_argument("--version", action="version", version=f"combpred {__version__}")
    parser.set_defaults(command=None, debug=False)
    commands = parser.add_subparsers(title="commands", metavar="demo | fit | predict | evaluate | info")
    plot = {"--plot": {"type": Path, "default": Path("combpred-demo.png"), "help": "where the plot goes (default: "
            "%(default)s)"}, "--no-plot": {"action": "store_true", "help": "write no plot"}}  # fmt: skip
    _command(commands, "demo", "compare with scikit-learn on data that it ships", _DEMO, plot)
    _command(commands, "fit", "train on a table, save the model", _FIT, _FILE, _LEARNING, _READING)
    _command(commands, "predict", "predict for the rows of a table", _PREDICT, _FILE, _MODEL, _PREDICTING,
             _RULES, _READING)  # fmt: skip
    _command(commands, "evaluate", "measure predictions for a table with targets", _EVALUATE, _FILE, _MODEL,
             _EVALUATING, _RULES, _READING)  # fmt: skip
    model = {"model": {"nargs": "?", "metavar": "MODEL", "help": "a model file"}}
    _command(commands, "info", "what there is, or what a model file holds", _INFO, model)
    return parser


def _command(commands: Any, name: str, brief: str, text: str, *options: Any) -> None:
    parser = commands.add_parser(
        name, help=brief, description=text, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--debug", action="store_true", help="show where in the program an error comes from")
    parser.set_defaults(command=name)
    for group in options:
        for names, how in group.items():
            parser.add_argument(*([names] if isinstance(names, str) else names), **how)


def _joined(arguments: Sequence[str]) -> list[str]:
    """Join ``--targets -14:`` into one argument, as a range that starts with a minus would pass for an option."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] in _SELECTIONS and argument[:1] == "-" and argument[1:2].isdigit():
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _show_once(shown: set[str]) -> Any:
    """Return what shows a warning in a line, unless it is among those shown: folds of cross-validation repeat them."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = " ".join(str(message).split())
        if text not in shown:
            shown.add(text)
            print(f"combpred: warning: {text}", file=sys.stderr)

    return show


def _run(options: argparse.Namespace) -> None:
    """Run a command; those that need scikit-learn are imported here, so that --help answers without it."""
    if options.command == "demo":
        from .demo import run_demo

        run_demo(None if options.no_plot else options.plot)
        return
    from . import commands, evaluate

    run = {"fit": commands.fit, "predict": commands.predict, "evaluate": evaluate.evaluate, "info": commands.info}
    run[options.command](options)
