"""The command line: ``combpred demo | fit | predict | evaluate | consensus | info``, also as ``python -m combpred``."""

from __future__ import annotations

import argparse
import inspect
import os
import re
import sys
import warnings
from collections.abc import Sequence
from pkgutil import resolve_name
from typing import Any, NoReturn

from .._lib.names import RIDGE_LOSSES
from .._lib.versions import __version__
from .error import UsageError, near

_ADVICE = {
    r"take \w+\.from_\w+\(y\b[^)]*\)": "give --choices",
    r"by Ordinal\((\[.*?\])\)": r"by --param 'grades=\1'",
    r"as in Ordinal\(\[.*?\]\), or pass an ordered Categorical": "by --param grades=LOWEST,…,HIGHEST",
    r"is to be converted by \w+\.from_\w+": "needs --choices",
    r"(numbers of the rows, .*): leave it out.*": r"\1: leave it out by --drop or --id",
    r", or take [A-Z]\w+\.from_\w+, .*": "",
    r"; structures\.\w+\.from_.*": "",
    r"pass structures\.\w+\.from_ratings\(y\).*": "write their ranks into the file",
    r"Permutations\.from_ratings and from_scores .*": "where the larger are better, write their ranks into the file",
    r"; y_from_paths of .* makes y of paths": "",
    r"take the structure of rankings with ties, WeakOrders": "give --structure weakorders",
    r" at row \d+, must be": ", must be",
    r"take Subtrees": "give --structure subtrees",
    r"structure: None stands for .*=.permutations.": "numbers other than 0 and 1 need --structure, permutations",
    r"Unknown label type: continuous.*": "the targets are numbers that are not whole: if these are grades, give "
    "--structure ordinal --param grades=LOWEST,…,HIGHEST; quantities are predicted by scikit-learn",
    r": rename the columns, or pass an array, whose columns are taken in that order": "",
}
_COLUMNS = (
    "names, patterns such as 'L*', or ranges of column numbers such as -14:, separated by commas or given one by one"
)
_SELECTIONS = ("--targets", "--inputs", "--categorical", "--drop", "--id")
_YES, _MANY = {"action": "store_true"}, {"action": "append"}
#: The names of each option and what stands for its value in --help, then its help, with arguments for argparse or not.
_Options = dict[str, str | tuple[dict[str, Any], str]]
_READING: _Options = {
    "file FILE": "CSV, Parquet or ARFF, gzipped or not; - for standard input",
    "--sep C": "separates the fields of a CSV file (default: read from its first line)",
    "--decimal C": "the decimal mark (default: a point)",
    "--thousands C": "the mark between thousands (default: none)",
    "--encoding NAME": "of a text file (default: utf-8)",
    "--na-values TEXT": (_MANY, "also reads as missing; may be repeated"),
    "--keep-default-na": ({"action": argparse.BooleanOptionalAction}, "whether NA, null, None … are missing (default)"),
    "--true-values TEXT": (_MANY, "reads as 1 in columns that hold nothing but these and --false-values"),
    "--false-values TEXT": (_MANY, "reads as 0, such as --true-values yes --false-values no; may be repeated"),
    "--comment TEXT": "lines of a CSV file that begin with it are left out",
    "--no-header": ({"action": "store_false", "default": None, "dest": "header"}, "no names; they are x0, x1, …"),
}
_IDS: _Options = {
    "--id --index-col COLUMNS": ({"dest": "id", **_MANY}, "are no inputs, but copied to the predictions"),
}
_NAMES: _Options = {
    "--target-sep C": "divides the names in a target (default: > in orders, | in sets)",
    "--choices": (_YES, "targets in several columns are names, from first to last, even if they read as numbers"),
    "--drop COLUMNS": (_MANY, "columns to leave out"),
}
_LEARNING: _Options = {
    "--structure NAME": ({"type": str.lower}, "what the targets are, see `combpred info` (default: as they are)"),
    "--targets COLUMNS": (_MANY, f"{_COLUMNS} (default: what an ARFF file says)"),
    "--model OUT": ({"required": True}, "where the model goes"),
    "--estimator NAME": "how to learn, see `combpred info` (default: StructuredRidge; with auto StructuredRidgeCV)",
    "--param NAME=VALUE": (_MANY, "of structure or estimator, as JSON, text or NAME=@FILE of JSON; may be repeated"),
    "--inputs COLUMNS": (_MANY, "as --targets (default: all other columns)"),
    "--categorical COLUMNS": (_MANY, "inputs that are categories although they read as numbers"),
    "--labels XML": "Mulan's file of the labels, which are the targets of an ARFF file",
    "--alpha A": "penalty, or auto: the best by leave-one-out (default: 1)",
    "--loss NAME": f"{', '.join(RIDGE_LOSSES)}, or auto: what suits the structure (default)",
    "--kernel NAME": "linear (default), poly, rbf, laplacian, cosine or auto: the best by leave-one-out, and its scale",
    "--gamma G": "scale of poly, rbf and laplacian, or the word scale (default: 1 / inputs)",
    "--degree D": ({"type": float}, "degree of poly (default: 3)"),
    "--coef0 C": ({"type": float}, "constant of poly (default: 1)"),
    "--no-intercept": ({"action": "store_false", "default": None, "dest": "fit_intercept"}, "no constant input"),
    "--no-scale": (_YES, "take numbers as they are instead of standardising them"),
    "--impute HOW": ({"choices": ("mean", "median", "most_frequent")}, "fill in missing inputs that are numbers"),
    "--jobs N": ({"type": int, "dest": "n_jobs"}, "number of threads of our own loops"),
    "--random-state SEED": ({"type": int}, "of estimators that draw at random"),
    "--verbose": ({"action": "store_const", "const": 1}, "show progress, of estimators that do"),
    "--pickle": (_YES, "save by joblib instead of skops; loading such a model runs code"),
}
_MODEL: _Options = {
    "--model MODEL": ({"required": True}, "what `combpred fit` saved"),
    "--trusted": (_YES, "load a pickled model, too, which runs code from the file"),
    "--constraints FILE|COLUMN|JSON": "an object for all rows, a list of one each, or a column with one in each field",
}
_PREDICTING: _Options = {
    "--output OUT": "CSV or .parquet (default, and -: CSV on standard output)",
    "--proba": (_YES, "add probabilities of classes, labels, pairs or entries of ψ"),
    "--certificate": (_YES, "add scores, and how close to the largest they are proven to be"),
    "--plot OUT": "draw marginal probabilities of the first four rows and, of models trained by sampling, the chains",
}
_EVALUATING: _Options = {
    "--metric NAME": (_MANY, "may be repeated, see `combpred info` (default: the structure's own, and zero_one_loss)"),
    "--cv K": ({"type": int}, "train on K−1 of K parts of the rows and predict for the other"),
    "--json": (_YES, "print JSON instead of a table"),
    "--plot OUT": "draw metrics of single rows, classes or positions confused, how reliable and sure probabilities are",
}
_AGREEING: _Options = {
    "--targets COLUMNS": (_MANY, f"{_COLUMNS} (default: all)"),
    "--method NAME": ({"default": "kemeny"}, "kemeny (default), borda, footrule or median_rank"),
    "--weights COLUMN": (_MANY, "how often each row counts (default: once)"),
    "--param NAME=VALUE": (_MANY, "of the method, such as output=weak for ties; may be repeated"),
    "--output OUT": "write the ranking as a table, CSV or .parquet; - for standard output",
    "--json": (_YES, "print JSON instead of a table"),
}
_DEMO: _Options = {
    "--plot OUT": ({"default": "combpred-demo.png"}, "where the plot goes (default: %(default)s)"),
    "--no-plot": (_YES, "write no plot"),
}
_INFO: _Options = {"model MODEL": ({"nargs": "?"}, "a model file")}


def _demo() -> None:
    """compare with scikit-learn on data that it ships

    Train on data sets that scikit-learn ships, and print a table beside scikit-learn's own estimators: rankings, label
    sets and a hierarchy. Takes some seconds and downloads nothing.

    example:
      combpred demo --plot demo.png
    """


def _fit() -> None:
    """train on a table, save the model

    Train on a table and save the model. Inputs are all columns that are not targets, unless --inputs, --drop and --id
    say which; numbers are standardised, text becomes one 0/1 column for each category.

    Targets are columns of numbers, as the structure has them, or one column of names: "a>b>c" for rankings ("a=b>c"
    with ties), "a|b" for label sets, classes and nodes as they are called; or several columns of names, such as a first
    and a second choice.

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


def _predict() -> None:
    """predict for the rows of a table

    Predict for every row of a table with the columns that the model was trained on (its targets may be missing).

    example:
      combpred predict new.csv --model glass.model --output predicted.csv
    example, from and to other programs, with probabilities:
      cat new.csv | combpred predict - --model glass.model --proba | head
    """


def _evaluate() -> None:
    """measure predictions for a table with targets

    Predict for a table with targets and print how good the predictions are; or train anew on parts of it, with --cv.

    example:
      combpred evaluate yeast-test.arff.gz --model yeast.model --metric hamming_loss --metric ranking_loss
    example, five-fold cross-validation on the rows of training:
      combpred evaluate glass.csv --model glass.model --cv 5 --json
    """


def _consensus() -> None:
    """put one ranking in the place of many

    Print the ranking that is nearest to those of a table, its distance and what is proven of it. Rankings are one
    column of orders, "a>b>c" ("a=b>c" with ties), several columns of names from first to last, or a column for each
    label with its position.

    example:
      combpred consensus ballots.csv --targets order --method borda
    example, with ties, as JSON:
      combpred consensus ballots.csv --targets order --param output=weak --json
    """


def _info() -> None:
    """what there is, or what a model file holds

    Print versions and the structures, estimators and metrics there are; with a model file, what the model is.

    example:
      combpred info glass.model
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
    parser, given = _parser(), _joined(sys.argv[1:] if arguments is None else arguments)
    options, strange = parser.parse_known_args(given)
    if strange:
        meant = near(strange[0].partition("=")[0], options.known)
        options.error(f"unrecognized arguments: {' '.join(strange)}{meant}")
    named = [each.partition("=")[0] for each in given]
    for name in [name for name in options.once if named.count(name) > 1]:
        options.error(f"argument {name}: given {named.count(name)} times, but takes one value")
    if options.run is None:
        parser.print_help()
        return 0
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_once(set())
            resolve_name(options.run)(options)
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("combpred: interrupted", file=sys.stderr)
        return 130
    except (UsageError, ValueError, TypeError, OSError, RuntimeError, MemoryError) as error:
        if options.debug:
            raise
        print(f"combpred: error: {_spoken(error)}", file=sys.stderr)
        return 2
    return 0


class _Parser(argparse.ArgumentParser):
    """Tells of a mistaken call in one line, without the list of all options."""

    def error(self, message: str) -> NoReturn:
        dash = "; a value that begins with '-' is joined by '=', as in --targets=-a" * ("expected one" in message)
        self.exit(2, f"{self.prog}: error: {message}{dash} (`{self.prog} --help` lists what there is)\n")


def _parser() -> argparse.ArgumentParser:
    what = "Learn to predict rankings, label sets, hierarchies and other structures."
    parser = _Parser(prog="combpred", description=what)
    parser.add_argument("--version", action="version", version=f"combpred {__version__}")
    parser.set_defaults(run=None, debug=False, error=parser.error, known=(), once=())
    commands = parser.add_subparsers(title="commands", metavar="demo | fit | predict | evaluate | consensus | info")
    for called, run, options in (
        (_demo, "demo:run_demo", _DEMO), (_fit, "commands:fit", {**_READING, **_IDS, **_LEARNING, **_NAMES}),
        (_predict, "commands:predict", {**_READING, **_IDS, **_MODEL, **_PREDICTING}),
        (_evaluate, "evaluate:evaluate", {**_READING, **_MODEL, **_EVALUATING}),
        (_consensus, "consensus:print_consensus", {**_READING, **_IDS, **_AGREEING, **_NAMES}),
        (_info, "commands:info", _INFO),
    ):  # fmt: skip
        brief, _, text = (inspect.getdoc(called) or "").partition("\n\n")
        looks: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
        one = commands.add_parser(called.__name__[1:], help=brief, description=text, **looks)
        one.add_argument("--debug", action="store_true", help="show where in the program an error comes from")
        known = [name for spelling in options for name in spelling.split() if name.startswith("-")]
        valued = [name.split()[0] for name, how in options.items() if isinstance(how, str) or "action" not in how[0]]
        once = [name for name in valued if name in known]
        run = f"{__package__}.{run}"  # loaded when it runs
        one.set_defaults(command=called.__name__[1:], run=run, error=one.error, known=known, once=once)
        for spelling, given in options.items():
            how, text = ({}, given) if isinstance(given, str) else given
            *names, last = spelling.split()
            meta: dict[str, Any] = {} if last.startswith("-") else {"metavar": last}
            one.add_argument(*names, *([] if meta else [last]), **meta, **how, help=text)
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


def _spoken(message: object) -> str:
    """Return a message in a line, in words of the command line where it gives advice on Python."""
    text = " ".join(str(message).split())
    for python, here in _ADVICE.items():
        text = re.sub(python, here, text)
    return text


def _show_once(shown: set[str]) -> Any:
    """Return what shows a warning in a line, unless it is among those shown: folds of cross-validation repeat them."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = _spoken(message)
        if text not in shown:
            shown.add(text)
            print(f"combpred: warning: {text}", file=sys.stderr)

    return show
