"""Tables as people have them: flowers with rankings, and customers with what they took."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    OneHotEncoder,
    StandardScaler,
)

from combpred.datasets import load_iris_ranking


@pytest.fixture
def iris() -> tuple[pd.DataFrame, pd.DataFrame]:
    """A third of the flowers, and rankings of the species by name."""
    X, y = load_iris_ranking(return_X_y=True, as_frame=True)
    rows = np.random.default_rng(0).permutation(150)[:50]
    return X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)


@pytest.fixture
def people() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Customers with numbers, categories and missing values, and the products they took."""
    rng = np.random.default_rng(0)
    n = 90
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "income": rng.lognormal(10, 0.5, n),
            "city": rng.choice(["Bath", "Ely", "Hull"], n),
            "plan": pd.Categorical(rng.choice(["basic", "plus"], n)),
        }
    )
    old, rich, plus = X["age"] > 50, X["income"] > 22_000, X["plan"] == "plus"
    y = pd.DataFrame({"card": old | plus, "loan": ~old & ~rich, "fund": rich}).astype(int)
    X.loc[::11, "age"] = np.nan
    return X, y


@pytest.fixture
def prepared() -> Any:
    """A function that returns how columns of `people` become numbers."""

    def prepared() -> ColumnTransformer:
        """Return how columns of `people` become numbers."""
        numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
        return make_column_transformer(
            (numbers, ["age", "income"]), (OneHotEncoder(handle_unknown="ignore"), ["city", "plan"])
        )

    return prepared
