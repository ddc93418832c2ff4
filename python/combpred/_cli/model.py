"""Model files of the command line: what `skops.io` writes, which runs no code when read, and a readable header."""

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

from sklearn.pipeline import Pipeline

from .._data.persistence import trusted_types
from .error import UsageError
from .targets import TargetColumns

_FORMAT = "combpred model 2"
_HEADER, _PICKLE = "header.json", "pipeline.joblib"
_PACKAGES = ("combpred", "scikit-learn", "numpy")


@dataclass(frozen=True)
class Header:
    """What a model file says about itself; reading it runs no code from the file.

    Attributes
    ----------
    structure, estimator : str
        As Python writes them.
    numbers, categories : sequence of str
        The inputs.
    targets : TargetColumns
    missing : bool
        Whether the model fills in missing inputs.
    reading : dict
        Arguments of `read_table` that the training file needed.
    ids : sequence of str
        Columns that are copied to the predictions.
    n_rows : int
        Number of training rows.
    versions : dict
        Of Python and the packages, at the time of training.
    """

    structure: str
    estimator: str
    numbers: Sequence[str]
    categories: Sequence[str]
    targets: TargetColumns
    missing: bool
    reading: dict[str, Any]
    ids: Sequence[str]
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


def save_model(path: str, header: Header, pipeline: Pipeline, *, pickled: bool) -> None:
    """Write a model file: what `skops.io` writes, which its ``load`` reads, too, with the header as JSON in it.

    With `pickled`, the pipeline is as joblib writes it instead. The file appears complete or not at all.
    """
    content = io.BytesIO()
    if pickled:
        import joblib

        dumped = io.BytesIO()
        joblib.dump(pipeline, dumped)
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_PICKLE, dumped.getvalue())
    else:
        try:
            _skops().dump(pipeline, content, compression=zipfile.ZIP_DEFLATED)
        except (TypeError, AttributeError, NotImplementedError) as error:
            raise UsageError(
                f"skops cannot write this estimator ({error}): --pickle saves it, loading which runs code"
            ) from error
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_HEADER, json.dumps({"format": _FORMAT, **asdict(header)}, indent=1))
    handle, temporary = tempfile.mkstemp(dir=Path(path).resolve().parent, prefix=".combpred-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.getvalue())
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
    content["targets"] = TargetColumns(**content["targets"])
    return Header(**content)


def load_model(path: str, *, trusted: bool) -> tuple[Header, Pipeline]:
    """Read a model file, saying on standard error what its user should know.

    Parameters
    ----------
    path : str
    trusted : bool
        Read pickled models, too, loading which runs code from the file.

    Raises
    ------
    UsageError
        When the file is no model file, holds what is not to be trusted, or was made by versions whose estimators
        cannot be loaded.
    """
    header = load_header(path)
    now = versions()
    differing = [f"{name} {was} (now {now.get(name)})" for name, was in header.versions.items() if was != now.get(name)]
    if differing:
        print(
            f"combpred: warning: {path} was trained with {', '.join(differing)}; if predictions look wrong, train it "
            "anew",
            file=sys.stderr,
        )
    content = Path(path).read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        pickled = archive.read(_PICKLE) if _PICKLE in archive.namelist() else None
    if pickled is not None and not trusted:
        raise UsageError(f"{path} is pickled: loading it runs code from it; if you trust the file, give --trusted")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn's own words on versions, said above for all packages at once
            if pickled is not None:
                import joblib

                return header, joblib.load(io.BytesIO(pickled))
            skops, types = _skops(), trusted_types(content)
            foreign = [name for name in skops.get_untrusted_types(data=content) if name not in types]
            if foreign:
                raise UsageError(f"{path} holds {', '.join(foreign)}, no classes of combpred or scikit-learn")
            return header, skops.loads(content, trusted=types)
    except UsageError:
        raise
    except Exception as error:  # a pickle may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"the estimator in {path} cannot be loaded ({reason}); train the model anew with these versions"
        ) from error


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise UsageError(
            "models are written and read by skops, which is not installed: pip install 'combpred[cli]'"
        ) from None
    return skops.io
