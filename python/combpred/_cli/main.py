"""The command line: ``combpred demo | fit | predict | evaluate | info``, also as ``python -m combpred``."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._lib.names import RIDGE_LOSSES
from .._lib.versions import __version__
from .error import UsageError

_COLUMNS = "names, patterns such as 'L*', or ranges of column numbers such as -14:, separated by commas"
_SELECTIONS = ("--targets", "--inputs", "--categorical", "--drop", "--id")
_ONCE, _MANY, _YES = {"metavar": "C"}, {"action": "append"}, {"action": "store_true"}
#: By the names of each option (several with a blank between them) its arguments for argparse and its help.
_Options = dict[str, tuple[dict[str, Any], str]]
_READING: _Options = {
    "file": ({"metavar": "FILE"}, "CSV, Parquet or ARFF, gzipped or not; - for standard input"),
    "--sep": (_ONCE, "separates the fields of a CSV file (default: read from its first line)"),
    "--decimal": (_ONCE, "the decimal mark (default: a point)"),
    "--thousands": (_ONCE, "the mark between thousands (default: none)"),
    "--encoding": ({}, "of a text file (default: utf-8)"),
    "--na-values": ({**_MANY, "metavar": "TEXT"}, "also reads as missing; may be repeated"),
    "--keep-default-na": (
        {"action": argparse.BooleanOptionalAction}, "whether NA, null, None and the like read as missing (default: yes)"
    ),
    "--no-header": (
        {"action": "store_const", "const": False, "dest": "header"},
        "the CSV file has no line of names; columns are x0, x1, …",
    ),
    "--id --index-col": ({"dest": "id", "metavar": "COLUMNS"}, "are no inputs, but copied to the predictions"),
}  # fmt: skip
_LEARNING: _Options = {
    "--structure": ({"metavar": "NAME", "type": str.lower}, "what the targets are; `combpred info` lists the names "
                    "(default: as the targets are)"),
    "--targets": ({"metavar": "COLUMNS"}, f"{_COLUMNS} (default: what an ARFF file says)"),
    "--target-sep": (_ONCE, "divides the names in a target (default: > in orders, | in sets)"),
    "--model": ({"required": True, "metavar": "OUT"}, "where the model goes"),
    "--estimator": ({"metavar": "NAME"}, "how to learn; `combpred info` lists the names (default: StructuredRidge, or "
                    "StructuredRidgeCV where something is auto)"),
    "--param": ({**_MANY, "default": [], "metavar": "NAME=VALUE"}, "parameter of the structure or the estimator as "
                "JSON or plain text, or NAME=@FILE for JSON in a file; may be repeated"),
    "--inputs": ({"metavar": "COLUMNS"}, "as --targets (default: all other columns)"),
    "--drop": ({"metavar": "COLUMNS"}, "columns to leave out"),
    "--categorical": ({"metavar": "COLUMNS"}, "inputs that are categories although they read as numbers"),
    "--labels": ({"metavar": "XML"}, "Mulan's file of the labels, which are the targets of an ARFF file"),
    "--alpha": ({}, "penalty, or auto: the best by leave-one-out (default: 1)"),
    "--loss": ({}, f"{', '.join(RIDGE_LOSSES)}, or auto: what suits the structure (default)"),
    "--kernel": ({}, "linear, poly, rbf, laplacian or cosine, or auto: the best by leave-one-out, with its scale "
                 "(default: linear)"),
    "--gamma": ({"metavar": "G"}, "scale of poly, rbf and laplacian, or the word scale (default: 1 / inputs)"),
    "--degree": ({"type": float, "metavar": "D"}, "degree of poly (default: 3)"),
    "--coef0": ({"type": float, "metavar": "C"}, "constant of poly (default: 1)"),
    "--no-intercept": ({"action": "store_false", "default": None, "dest": "fit_intercept"}, "leave out the constant "
                       "input"),
    "--no-scale": (_YES, "take numbers as they are instead of standardising them"),
    "--impute": ({"choices": ("mean", "median", "most_frequent")}, "fill in missing inputs that are numbers"),
    "--jobs": ({"type": int, "dest": "n_jobs", "metavar": "N"}, "number of threads of our own loops"),
    "--random-state": ({"type": int, "metavar": "SEED"}, "of estimators that draw at random"),
    "--verbose": ({"action": "store_const", "const": 1}, "show progress, of estimators that do"),
    "--pickle": (_YES, "save by joblib instead of skops; loading such a model runs code"),
}  # fmt: skip
_MODEL: _Options = {
    "--model": ({"required": True, "metavar": "MODEL"}, "what `combpred fit` saved"),
    "--trusted": (_YES, "load a pickled model, too, which runs code from the file"),
    "--constraints": ({"metavar": "FILE|COLUMN|JSON"}, "JSON, or a file of it: one object for all rows, a "
                      "list with one for each row; or a column with one in each field"),
}  # fmt: skip
_PREDICTING: _Options = {
    "--output": ({"metavar": "OUT"}, "CSV or .parquet (default, and -: CSV on standard output)"),
    "--proba": (_YES, "add probabilities of classes, labels, pairs or entries of ψ"),
    "--certificate": (_YES, "add scores, and how close to the largest they are proven to be"),
    "--plot": ({"metavar": "OUT"}, "draw the marginal probabilities of the first four rows"),
}
_EVALUATING: _Options = {
    "--metric": ({**_MANY, "metavar": "NAME"}, "function of combpred.metrics; may be repeated (default: the "
                 "structure's own metric and zero_one_loss)"),
    "--cv": ({"type": int, "metavar": "K"}, "train on K−1 of K parts of the rows and predict for the other"),
    "--json": (_YES, "print JSON instead of a table"),
    "--plot": ({"metavar": "OUT"}, "draw metrics of single rows, classes or positions confused, and probabilities: "
               "how reliable they are, and the metric of the surest rows"),
}  # fmt: skip
_DEMO: _Options = {
    "--plot": ({"type": Path, "default": Path("combpred-demo.png")}, "where the plot goes (default: %(default)s)"),
    "--no-plot": (_YES, "write no plot"),
}


def _demo(options: argparse.Namespace) -> None:
    """compare with scikit-learn on data that it ships

    Train on data sets that scikit-learn ships, and print a table beside scikit-learn's own estimators: rankings, label
    sets and a hierarchy. Takes some seconds and downloads nothing.

    example:
      combpred demo --plot demo.png
    """
    from .demo import run_demo

    run_demo(None if options.no_plot else options.plot)


def _fit(options: argparse.Namespace) -> None:
    """train on a table, save the model

    Train on a table and save the model. Inputs are all columns that are not targets, unless --inputs, --drop and --id
    say which; numbers are standardised, text becomes one 0/1 column for each category.

    Targets are columns of numbers, as the structure has them, or one column of names: "a>b>c" for rankings ("a=b>c"
    with ties), "a|b" for label sets, classes and nodes as they are called.

    example, label sets in the last 14 columns:
      combpred fit yeast-train.arff.gz --structure labelsets --targets=-14: --kernel rbf --alpha auto --model y.model
    example, rankings, with the position of each label in columns L1, L2, …:
      combpred fit glass.csv --structure permutations --targets 'L*' --kernel rbf --alpha 0.1 --model glass.model
    example, rankings as names, learned by another method:
      combpred fit drinks.csv --targets order --estimator LabelRankingSVM --param C=10 --id person --model drinks.model
    example, leaves of a tree, whose file holds {"cat": "mammal", "dog": "mammal", "mammal": null}:
      combpred fit pets.csv --structure hierarchy --param parent=@tree.json --param allowed=leaves \\
        --targets kind --model pets.model
    """
    from .commands import fit

    fit(options)


def _predict(options: argparse.Namespace) -> None:
    """predict for the rows of a table

    Predict for every row of a table with the columns that the model was trained on (its targets may be missing).

    example:
      combpred predict new.csv --model glass.model --output predicted.csv
    example, from and to other programs, with probabilities:
      cat new.csv | combpred predict - --model glass.model --proba | head
    """
    from .commands import predict

    predict(options)


def _evaluate(options: argparse.Namespace) -> None:
    """measure predictions for a table with targets

    Predict for a table with targets and print how good the predictions are; or train anew on parts of it, with --cv.

    example:
      combpred evaluate yeast-test.arff.gz --model yeast.model --metric hamming_loss --metric ranking_loss
    example, five-fold cross-validation on the rows of training:
      combpred evaluate glass.csv --model glass.model --cv 5 --json
    """
    from .evaluate import evaluate

    evaluate(options)


def _info(options: argparse.Namespace) -> None:
    """what there is, or what a model file holds

    Print versions and the structures, estimators and metrics there are; with a model file, what the model is.

    example:
      combpred info glass.model
    """
    from .commands import info

    info(options)


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
    if options.run is None:
        parser.print_help()
        return 0
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_once(set())
            options.run(options)
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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
    parser.set_defaults(run=None, debug=False)
    commands = parser.add_subparsers(title="commands", metavar="demo | fit | predict | evaluate | info")
    for run, options in (
        (_demo, _DEMO), (_fit, {**_READING, **_LEARNING}), (_predict, {**_READING, **_MODEL, **_PREDICTING}),
        (_evaluate, {**_READING, **_MODEL, **_EVALUATING}),
        (_info, {"model": ({"nargs": "?", "metavar": "MODEL"}, "a model file")}),
    ):  # fmt: skip
        brief, _, text = (inspect.getdoc(run) or "").partition("\n\n")
        one = commands.add_parser(
            run.__name__[1:], help=brief, description=text, formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )  # fmt: skip
        one.add_argument("--debug", action="store_true", help="show where in the program an error comes from")
        one.set_defaults(command=run.__name__[1:], run=run)
        for names, (how, text) in options.items():
            one.add_argument(*names.split(), **how, help=text)
    return parser


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
