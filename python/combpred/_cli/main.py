"""The command line: ``combpred demo | fit | predict | evaluate | info``, also as ``python -m combpred``."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .._lib.names import RIDGE_LOSSES
from .error import UsageError

_COLUMNS = "names, patterns such as 'L*', or ranges of column numbers such as -14:, separated by commas"
_SELECTIONS = ("--targets", "--inputs", "--categorical")

_FIT = """\
Train on a CSV or ARFF file and save the model. Inputs are all columns that are not targets, unless --inputs says
which; numbers are standardised, text becomes one 0/1 column for each category.

example, label sets in the last 14 columns:
  combpred fit yeast-train.arff.gz --structure labelsets --targets=-14: --kernel rbf --alpha auto --model yeast.model
example, rankings, with the position of each label in columns L1, L2, …:
  combpred fit glass.csv --structure permutations --targets 'L*' --kernel rbf --alpha 0.1 --model glass.model
example, leaves of a tree, whose file holds {"cat": "mammal", "dog": "mammal", "mammal": null}:
  combpred fit pets.csv --structure hierarchy --param parent=@tree.json --param allowed=leaves \\
    --targets kind --model pets.model
"""
_PREDICT = """\
Predict for every row of a file with the columns that the model was trained on (its targets may be missing), as CSV.

example:
  combpred predict new.csv --model glass.model --output predicted.csv
"""
_EVALUATE = """\
Predict for a file with targets and print how good the predictions are.

example:
  combpred evaluate yeast-test.arff.gz --model yeast.model --metric hamming_loss --metric ranking_loss
"""
_INFO = """\
Print versions and the structures there are; with a model file, what the model is (this runs no code from the file).

example:
  combpred info glass.model
"""
_DEMO = """\
Train on data sets that scikit-learn ships, and print a table beside scikit-learn's own estimators: rankings, label
sets and a hierarchy. Takes some seconds and downloads nothing.

example:
  combpred demo --plot demo.png
"""


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
            warnings.showwarning = _show_warning
            options.run(options)
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
        print(f"combpred: error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="combpred", description="Learn to predict rankings, label sets, hierarchies and other structures."
    )
    parser.set_defaults(run=None, debug=False)
    commands = parser.add_subparsers(title="commands", metavar="demo | fit | predict | evaluate | info")
    _add_demo(commands)
    _add_fit(commands)
    _add_predict(commands)
    _add_evaluate(commands)
    _add_info(commands)
    return parser


def _command(
    commands: Any, name: str, brief: str, text: str, run: Callable[[argparse.Namespace], None]
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=brief, description=text, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--debug", action="store_true", help="show where in the program an error comes from")
    parser.set_defaults(run=run)
    return parser


def _add_demo(commands: Any) -> None:
    parser = _command(commands, "demo", "compare with scikit-learn on data that it ships", _DEMO, _demo)
    plot = parser.add_mutually_exclusive_group()
    plot.add_argument(
        "--plot", type=Path, default=Path("combpred-demo.png"), help="where the plot goes (default: %(default)s)"
    )
    plot.add_argument("--no-plot", action="store_true", help="write no plot")


def _add_fit(commands: Any) -> None:
    parser = _command(commands, "fit", "train on a CSV or ARFF file, save the model", _FIT, _fit)
    parser.add_argument("file", metavar="FILE", help="CSV or ARFF, gzipped or not")
    parser.add_argument(
        "--structure", required=True, metavar="NAME", help="what the targets are; `combpred info` lists the names"
    )
    parser.add_argument("--targets", required=True, metavar="COLUMNS", help=_COLUMNS)
    parser.add_argument("--model", required=True, metavar="OUT", help="where the model goes")
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="parameter of the structure as JSON or plain text, or NAME=@FILE for JSON in a file; may be repeated",
    )
    parser.add_argument("--inputs", metavar="COLUMNS", help="as --targets (default: all other columns)")
    parser.add_argument(
        "--categorical", metavar="COLUMNS", help="inputs that are categories although they read as numbers"
    )
    parser.add_argument(
        "--alpha", default="1.0", help="penalty, or auto: the best by leave-one-out (default: %(default)s)"
    )
    parser.add_argument(
        "--loss", default="auto", help=f"{', '.join(RIDGE_LOSSES)}, or auto: what suits the structure (default)"
    )
    parser.add_argument(
        "--kernel",
        default="linear",
        help="linear, poly, rbf, laplacian or cosine, or auto: the best by leave-one-out, with its scale "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--gamma",
        metavar="G",
        help="scale of poly, rbf and laplacian, or the word scale (default: 1 / inputs)",
    )
    parser.add_argument("--degree", type=float, default=3, metavar="D", help="degree of poly (default: %(default)s)")
    parser.add_argument("--coef0", type=float, default=1.0, metavar="C", help="constant of poly (default: %(default)s)")
    parser.add_argument("--no-intercept", action="store_true", help="leave out the constant input")
    parser.add_argument(
        "--no-scale", action="store_true", help="take numbers as they are instead of standardising them"
    )
    parser.add_argument(
        "--impute", choices=("mean", "median", "most_frequent"), help="fill in missing inputs that are numbers"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="number of threads of our own loops")
    _add_reading(parser)


def _add_predict(commands: Any) -> None:
    parser = _command(commands, "predict", "predict for the rows of a file", _PREDICT, _predict)
    _add_model(parser)
    parser.add_argument("--output", metavar="OUT", help="where the predictions go (default, and -: standard output)")


def _add_evaluate(commands: Any) -> None:
    parser = _command(commands, "evaluate", "measure predictions for a file with targets", _EVALUATE, _evaluate)
    _add_model(parser)
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="function of combpred.metrics; may be repeated (default: the structure's own metric and zero_one_loss)",
    )


def _add_info(commands: Any) -> None:
    parser = _command(commands, "info", "versions and structures, or what a model file holds", _INFO, _info)
    parser.add_argument("model", nargs="?", metavar="MODEL", help="a model file")


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="CSV or ARFF, gzipped or not")
    parser.add_argument("--model", required=True, metavar="MODEL", help="what `combpred fit` saved")
    parser.add_argument(
        "--trusted", action="store_true", help="leave out the warning that loading a model runs code from it"
    )
    _add_reading(parser)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--delimiter", metavar="C", help="separates the fields of a CSV file (default: read from its first line)"
    )
    parser.add_argument(
        "--no-header", action="store_true", help="the CSV file has no line of names; columns are x0, x1, …"
    )


def _joined(arguments: Sequence[str]) -> list[str]:
    """Join ``--targets -14:`` into one argument, as a range that starts with a minus would pass for an option."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] in _SELECTIONS and argument[:1] == "-" and argument[1:2].isdigit():
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    print(f"combpred: warning: {message}", file=sys.stderr)


# The commands live in modules of their own, so that --help answers without importing scikit-learn.


def _demo(options: argparse.Namespace) -> None:
    from .demo import run_demo

    run_demo(None if options.no_plot else options.plot)


def _fit(options: argparse.Namespace) -> None:
    from .commands import fit

    fit(options)


def _predict(options: argparse.Namespace) -> None:
    from .commands import predict

    predict(options)


def _evaluate(options: argparse.Namespace) -> None:
    from .commands import evaluate

    evaluate(options)


def _info(options: argparse.Namespace) -> None:
    from .commands import info

    info(options)
