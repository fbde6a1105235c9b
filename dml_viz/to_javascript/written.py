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
from dml_viz.losses import _scalar
from dml_viz.to_javascript.expressions import LIBRARY
from dml_viz.to_javascript.gathering import PRIMITIVES

BUILTINS = (
    "abs", "all", "any", "bool", "divmod", "enumerate", "filter", "float", "getattr", "int", "isinstance", "iter", "len", "list",
    "map", "max", "min", "next", "range", "repr", "reversed", "round", "slice", "sorted", "str", "sum", "type", "vars", "zip",
    "dict",
)  # fmt: skip
MATHS = (
    "acos", "asin", "atan", "atan2", "ceil", "copysign", "cos", "cosh", "exp", "floor", "hypot", "log", "log10", "log1p", "pow",
    "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
ARRAYS = (
    "append", "arange", "arctan2", "argmax", "argmin", "argsort", "argwhere", "array", "asarray", "bincount", "broadcast_to",
    "clip",
    "concatenate", "cos", "cumsum", "diff", "divide", "eye", "fill_diagonal", "flatnonzero", "flip", "floor", "full", "isfinite",
    "isin", "isnan", "ix_", "lexsort", "linspace", "logaddexp", "matmul", "maximum", "mean", "minimum", "nanmax", "nanmean",
    "nanmin",
    "nonzero", "ones", "ones_like", "outer", "pad", "searchsorted", "sin", "sort", "sqrt", "square", "stack", "take_along_axis",
    "tanh", "triu", "triu_indices", "unique", "unravel_index", "unwrap", "where", "zeros", "zeros_like",
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
    np.log1p: "log1p",
    np.cross: "cross",
    np.degrees: "degrees_of",
    np.radians: "radians_of",
    np.linalg.norm: "norm",
    np.round: "round_to",
    np.logaddexp.reduce: "log_sum_exp",
    np.minimum.accumulate: "least_so_far",
    np.array: "array",
    torch.from_numpy: "array",
    torch.tensor: "tensor",
    torch.zeros_like: "zeros_like",
    torch.where: "where",
    torch.stack: "stack",
    torch.arange: "arange",
    torch.eye: "eye",
    torch.cat: "concatenate",
    torch.zeros: "zeros",
    torch.as_tensor: "array",
    torch.threshold_: "threshold",
    torch.nn.functional.threshold: "threshold",
    torch.rsub: "rsub",
    torch.addcmul: "addcmul",
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
    torch.finfo: "finfo",
    tuple: "list",
    set: "set_of",
    dict.fromkeys: "fromkeys",
    re.sub: "substituted",
    dataclasses.replace: "replaced",
    functools.partial: "partial",
    itertools.accumulate: "accumulate",
    round_distances: "round_distances",
    math.radians: "radians",
    math.degrees: "degrees_of",
    math.isfinite: "isfinite",
    math.isnan: "isnan",
    math.fsum: "sum",
    cast: "cast",
    torch.linalg.svd: "never",
    torch.outer: "outer",
    torch.searchsorted: "searchsorted",
    torch.pdist: "pdist",
    torch.linalg.cross: "cross",
    np.random.default_rng: "never",
}
WRITTEN: dict[Any, str] = {
    **{getattr(math, name): f"Math.{name}" for name in MATHS},
    **{getattr(np, name): f"{LIBRARY}.{name}" for name in ARRAYS},
    **{getattr(builtins, name): f"{LIBRARY}.{name}" for name in BUILTINS},
    **{getattr(_scalar, name): f"{LIBRARY}.{name}" for name in PRIMITIVES},
    **{thing: f"{LIBRARY}.{name}" for thing, name in OTHERS.items()},
}
