"""Model files of the command line: what `skops.io` writes, which runs no code when read, and a readable header."""

from __future__ import annotations

import json
import os
import platform
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import sklearn
from sklearn.pipeline import Pipeline

from .._data.persistence import trusted_types
from .._data.warn import warn_user
from .._lib.versions import __version__
from .error import UsageError, needed, require
from .targets import TargetColumns

_FORMAT = "combpred model 3"
_HEADER, _PICKLE = "header.json", "pipeline.joblib"


@dataclass(frozen=True)
class Header:
    """What a model file says about itself; reading it runs no code from the file.

    Attributes
    ----------
    about : dict of str to str
        What `combpred info` shows first: the structure and the estimator as Python writes them, the number of rows.
    numbers, categories : sequence of str
        The inputs.
    targets : TargetColumns
    missing : bool
        Whether the model fills in missing inputs.
    reading : dict
        Arguments of `read_table` that the training file needed.
    ids : sequence of str
        Columns that are copied to the predictions.
    versions : dict
        Of Python and the packages, at the time of training.
    """

    about: dict[str, str]
    numbers: Sequence[str]
    categories: Sequence[str]
    targets: TargetColumns
    missing: bool
    reading: dict[str, Any]
    ids: Sequence[str]
    versions: dict[str, str]


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that a model file depends on."""
    packages = {"combpred": __version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__}
    return {"python": platform.python_version(), **packages}


def save_model(path: str, header: Header, pipeline: Pipeline, *, pickled: bool) -> None:
    """Write a model file: what `skops.io` writes, which its ``load`` reads, too, with the header as JSON in it.

    With `pickled`, the pipeline is as joblib writes it instead. The file appears complete or not at all.
    """
    part = Path(path).resolve().with_name(f".combpred-{os.getpid()}")
    try:
        if not pickled:
            _skops().dump(pipeline, part, compression=zipfile.ZIP_DEFLATED)
        with zipfile.ZipFile(part, "w" if pickled else "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_HEADER, json.dumps({"format": _FORMAT, **asdict(header)}, indent=1))
            if pickled:
                with archive.open(_PICKLE, "w", force_zip64=True) as file:
                    joblib.dump(pipeline, file)
        os.replace(part, Path(path).resolve())
    except (TypeError, AttributeError, NotImplementedError) as error:
        raise UsageError(f"skops cannot write this estimator ({error}): give --pickle; loading runs code") from error
    finally:
        part.unlink(missing_ok=True)


def load_header(path: str) -> Header:
    """Read the header of a model file. No code from the file runs.

    Raises
    ------
    UsageError
        When the file is no model file of this version.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            content = dict(json.loads(archive.read(_HEADER)))
            made = content.pop("format", "unknown")
            if made == _FORMAT:
                return Header(**{**content, "targets": TargetColumns(**content["targets"])})
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
        raise UsageError(f"{path} is not a model file of combpred; `combpred fit` writes them") from error
    raise UsageError(f"{path} is a model file of another kind ({made}, not {_FORMAT}); train the model anew")


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
    header, now = load_header(path), versions()
    differing = [f"{name} {was} (now {now.get(name)})" for name, was in header.versions.items() if was != now.get(name)]
    if differing:
        what = f"{path} was trained with {', '.join(differing)}"
        warn_user(f"{what}; if predictions look wrong, train it anew", UserWarning)
    try:
        with warnings.catch_warnings(), zipfile.ZipFile(path) as archive:
            warnings.simplefilter("ignore")  # scikit-learn's own words on versions, said above for all packages at once
            if _PICKLE in archive.namelist():
                pickled = f"{path} is pickled: loading it runs code from it"
                require(trusted, f"{pickled}; if you trust the file, give --trusted")
                return header, joblib.load(archive.open(_PICKLE))
            skops, types = _skops(), trusted_types(path)
            foreign = [name for name in skops.get_untrusted_types(file=path) if name not in types]
            require(not foreign, f"{path} holds {', '.join(foreign)}, no classes of combpred or scikit-learn")
            return header, skops.load(path, trusted=types)
    except UsageError:
        raise
    except Exception as error:  # a pickle may raise anything
        what = f"the estimator in {path} cannot be loaded ({type(error).__name__}: {error})"
        raise UsageError(f"{what}; train the model anew with these versions") from error


def _skops() -> Any:
    return needed("skops.io", "models are written and read by skops", "combpred[cli]")
