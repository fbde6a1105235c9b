"""What Python code of pages may call that is no code of this package, as it is written in JavaScript."""

import builtins
import copy
import dataclasses
import functools
import itertools
import math
import re
from typing import Any, cast

import numpy as np
import torch

from dml_viz.embedding.matmul import inner_products
from dml_viz.embedding.ranking import round_distances
from dml_viz.to_javascript import gathering
from dml_viz.to_javascript.expressions import LIBRARY

BUILTINS = (
    "abs", "bool", "divmod", "filter", "float", "getattr", "int", "isinstance", "iter", "map", "next", "repr", "reversed",
    "round", "slice", "str", "type", "vars",
)  # fmt: skip
MATHS = ("atan2", "copysign", "hypot", "log", "log10", "log1p", "pow")
ARRAYS = (
    "append", "arange", "arctan2", "argmax", "argmin", "argsort", "argwhere", "array", "asarray", "bincount", "broadcast_to",
    "clip", "concatenate", "cos", "cross", "cumsum", "diff", "divide", "eye", "fill_diagonal", "flatnonzero", "flip", "floor",
    "full", "isfinite", "isin", "isnan", "ix_", "lexsort", "linspace", "log1p", "logaddexp", "matmul", "maximum", "mean",
    "minimum", "nanmean", "nanmin", "nonzero", "ones", "ones_like", "outer", "pad", "searchsorted", "sin", "sort",
    "sqrt", "square", "stack", "take_along_axis", "tanh", "triu", "triu_indices", "unique", "unravel_index", "unwrap", "where",
    "zeros", "zeros_like",
)  # fmt: skip
TENSORS = (
    "addcmul", "arange", "eye", "outer", "pdist", "rsub", "searchsorted", "stack", "tensor", "where", "zeros", "zeros_like",
)  # fmt: skip
OTHERS = {
    np.abs: "absolute",
    np.all: "every",
    np.any: "some",
    np.sum: "sum_of",
    np.max: "amax",
    np.min: "amin",
    np.exp: "exp_of",
    np.log: "log_of",
    np.degrees: "degrees_of",
    np.radians: "radians_of",
    np.linalg.norm: "norm",
    np.round: "round_to",
    np.logaddexp.reduce: "log_sum_exp",
    torch.from_numpy: "array",
    torch.cat: "concatenate",
    torch.as_tensor: "array",
    torch.threshold_: "threshold",
    torch.nn.functional.threshold: "threshold",
    torch.full: "full32",
    torch.float64: "float",
    torch.int64: "int",
    np.int64: "int",
    np.intp: "int",
    np.float64: "float",
    np.bool_: "bool",
    inner_products: "inner_products",
    torch.contiguous_format: "EVERY",
    torch.Generator: "never",
    torch.randn: "never",
    frozenset: "set_of",
    copy.copy: "copied",
    torch.div: "divide",
    torch.linalg.vector_norm: "norm",
    set: "set_of",
    re.sub: "substituted",
    dataclasses.replace: "replaced",
    functools.partial: "partial",
    itertools.accumulate: "accumulate",
    round_distances: "round_distances",
    math.degrees: "degrees_of",
    math.isfinite: "isfinite",
    math.isnan: "isnan",
    math.fsum: "sum",
    cast: "cast",
    torch.linalg.svd: "never",
    torch.linalg.cross: "cross",
    np.random.default_rng: "never",
}
# What losses may call, and what pages may call besides.
WRITTEN: dict[Any, str] = {
    **gathering.WRITTEN,
    **{getattr(math, name): f"Math.{name}" for name in MATHS},
    **{getattr(np, name): f"{LIBRARY}.{name}" for name in ARRAYS},
    **{getattr(torch, name): f"{LIBRARY}.{name}" for name in TENSORS},
    **{getattr(builtins, name): f"{LIBRARY}.{name}" for name in BUILTINS},
    **{thing: f"{LIBRARY}.{name}" for thing, name in OTHERS.items()},
}
