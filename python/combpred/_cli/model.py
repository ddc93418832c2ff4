"""Model files of the command line: a readable header beside the pickled estimator."""

from __future__ import annotations

import io
import json
import os
import platform
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import joblib
from sklearn.pipeline import Pipeline

from .columns import InputColumn
from .error import UsageError

_FORMAT = "combpred model 1"
_HEADER, _ESTIMATOR = "header.json", "pipeline.joblib"
_PACKAGES = ("combpred", "scikit-learn", "numpy")


@dataclass(frozen=True)
class Header:
    """What a model file says about itself; reading it runs no code from the file.

    Attributes
    ----------
    structure, estimator : str
        As Python writes them.
    inputs : sequence of InputColumn
    targets : sequence of str
        Names of the target columns, in order.
    as_text : bool
        Whether the target holds names even where they read as numbers.
    missing : bool
        Whether the model fills in missing inputs.
    reading : dict
        Keyword arguments of `read_table` that the training file needed.
    n_rows : int
        Number of training rows.
    versions : dict
        Of Python and the packages, at the time of training.
    """

    structure: str
    estimator: str
    inputs: Sequence[InputColumn]
    targets: Sequence[str]
    as_text: bool
    missing: bool
    reading: dict[str, Any]
    n_rows: int
    versions: dict[str, str]


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that a model file depends on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree that is not installed
            found[package] = str(getattr(__import__(package), "__version__", "unknown"))
    return found


def check_destination(path: str) -> None:
    """Refuse a path that nothing can be saved to, before any work is done."""
    folder = Path(path).resolve().parent
    if Path(path).is_dir():
        raise UsageError(f"--model: {path} is a directory; name a file in it")
    if not folder.is_dir():
        raise UsageError(f"--model: there is no directory {folder}; create it first")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"--model: the directory {folder} is not writable")


def save_model(path: str, header: Header, pipeline: Pipeline) -> None:
    """Write a model file: a zip archive of the header as JSON and the pipeline as joblib writes it.

    The file appears complete or not at all.
    """
    pickled = io.BytesIO()
    joblib.dump(pipeline, pickled)
    handle, temporary = tempfile.mkstemp(dir=Path(path).resolve().parent, prefix=".combpred-")
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_HEADER, json.dumps({"format": _FORMAT, **asdict(header)}, indent=1))
            archive.writestr(_ESTIMATOR, pickled.getvalue())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # mkstemp makes files private; this one is like any other
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def load_header(path: str) -> Header:
    """Read the header of a model file. No code from the file runs.

    Raises
    ------
    UsageError
        When the file is no model file of this version.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            content = json.loads(archive.read(_HEADER))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise UsageError(f"{path} is not a model file of combpred; `combpred fit` writes them") from error
    made = content.pop("format", "unknown") if isinstance(content, dict) else "unknown"
    if made != _FORMAT:
        raise UsageError(f"{path} is a model file of another kind ({made}, not {_FORMAT}); train the model anew")
    content["inputs"] = [InputColumn(**column) for column in content["inputs"]]
    return Header(**content)


def load_model(path: str, *, trusted: bool) -> tuple[Header, Pipeline]:
    """Read a model file, saying on standard error what its user should know.

    Parameters
    ----------
    path : str
    trusted : bool
        Leave out the warning that loading runs code from the file.

    Raises
    ------
    UsageError
        When the file is no model file, or was made by versions whose estimators cannot be loaded.
    """
    header = load_header(path)
    if not trusted:
        _say(f"warning: loading {path} runs code from it: load only files that you trust (--trusted leaves this out)")
    differing = [
        f"{name} {was} (now {now})" for name, now in versions().items() if (was := header.versions.get(name)) != now
    ]
    if differing:
        _say(f"warning: {path} was trained with {', '.join(differing)}; if predictions look wrong, train it anew")
    try:
        with zipfile.ZipFile(path) as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn's own words on versions, said above for all packages at once
            pipeline = joblib.load(io.BytesIO(archive.read(_ESTIMATOR)))
    except Exception as error:  # a pickle may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"the estimator in {path} cannot be loaded ({reason}); train the model anew with these versions"
        ) from error
    return header, pipeline


def _say(message: str) -> None:
    print(f"combpred: {message}", file=sys.stderr)
