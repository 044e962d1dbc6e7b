"""Repairs of ModuleNotFoundError and ImportError."""

from __future__ import annotations

import importlib
import re
import sys

from spark_jupyter.server.engines.repairs.base import Failure, Repair, nearest, quoted_names

PACKAGES = {
    "sklearn": "scikit-learn", "cv2": "opencv-python", "PIL": "pillow", "yaml": "pyyaml", "bs4": "beautifulsoup4",
    "dateutil": "python-dateutil", "dotenv": "python-dotenv", "skimage": "scikit-image", "Crypto": "pycryptodome",
    "serial": "pyserial", "fitz": "pymupdf", "docx": "python-docx", "pptx": "python-pptx", "psycopg2": "psycopg2-binary",
    "MySQLdb": "mysqlclient", "jwt": "pyjwt", "OpenSSL": "pyopenssl", "magic": "python-magic", "Bio": "biopython",
    "umap": "umap-learn", "pytz": "pytz", "attr": "attrs", "win32com": "pywin32", "community": "python-louvain",
    "google.protobuf": "protobuf", "github": "pygithub", "slugify": "python-slugify", "telegram": "python-telegram-bot",
}  # fmt: skip
"""Import name → the name of its package on PyPI, where the two differ."""
_SAME_NAME = (
    "numpy pandas matplotlib seaborn scipy requests httpx polars plotly altair bokeh statsmodels torch tensorflow keras flask django "
    "fastapi sqlalchemy networkx sympy nltk spacy gensim transformers xgboost lightgbm catboost openpyxl xlrd xlsxwriter lxml tqdm rich "
    "click typer pytest hypothesis numba dask pyarrow duckdb geopandas shapely folium wordcloud pydantic aiohttp selenium scrapy "
    "pymongo redis boto3 joblib ipywidgets tabulate faker psutil jinja2 openai datasets vaex torchvision astropy pymysql"
)
_STANDARD = (
    "math os re json random itertools collections datetime time statistics functools string pathlib sys typing csv "
    "urllib logging sqlite3 asyncio dataclasses threading subprocess"
)
_SUBMODULES = {
    "sklearn": (
        "calibration cluster compose covariance cross_decomposition datasets decomposition discriminant_analysis dummy ensemble "
        "exceptions experimental feature_extraction feature_selection gaussian_process impute inspection isotonic kernel_approximation "
        "kernel_ridge linear_model manifold metrics mixture model_selection multiclass multioutput naive_bayes neighbors neural_network "
        "pipeline preprocessing random_projection semi_supervised svm tree utils"
    ),
    "matplotlib": "animation axes cm collections colors dates figure gridspec image lines patches path pyplot style ticker transforms",
    "scipy": "cluster constants fft integrate interpolate io linalg ndimage optimize signal sparse spatial special stats",
    "numpy": "fft linalg ma polynomial random testing typing",
    "pandas": "api errors plotting testing tseries",
    "statsmodels": "api formula graphics regression stats tsa",
    "plotly": "express figure_factory graph_objects io subplots",
    "torch": "autograd cuda nn optim utils",
    "tensorflow": "data keras linalg losses math nn random",
    "os": "path",
    "concurrent": "futures",
    "urllib": "error parse request robotparser",
    "xml": "dom etree sax",
    "email": "message mime parser utils",
    "collections": "abc",
    "importlib": "metadata resources util",
    "unittest": "mock",
}
"""The public modules of packages, by which a slip in one is known."""
_MOVED = {
    ("collections", "Mapping|MutableMapping|Iterable|Iterator|Sequence|Callable|Hashable|Set|Sized"): "collections.abc",
    ("fractions", "gcd"): "math",
    ("sklearn.cross_validation", ".*"): "sklearn.model_selection",
    ("scipy.misc", "imread|imresize|imsave"): "imageio",
    ("pandas", "datetime"): "datetime",
    ("itertools", "izip"): "builtins",
    ("cgi", "escape"): "html",
}


def module_not_found(failure: Failure) -> Repair | None:
    """``%pip install`` with the package's own name; a slip in the module's name is corrected instead."""
    names = quoted_names(failure.message)
    if not names:
        return None
    module = names[0]
    top = module.partition(".")[0]
    package = PACKAGES.get(module) or PACKAGES.get(top) or (top if top in _SAME_NAME.split() else None)
    if module == "sklearn.cross_validation":
        return _in_source(
            failure, module, "sklearn.model_selection", "`sklearn.cross_validation` is `sklearn.model_selection` now."
        )
    if "." in module and module not in PACKAGES:
        return _no_submodule(failure, module)
    if package:
        says = f"`{top}` is not installed here. Its package is called `{package}`; restart the kernel if the import still fails."
        return Repair(says, f"%pip install {package}\n{failure.source}".rstrip("\n"))
    if top in sys.stdlib_module_names:
        return Repair(f"`{module}` is no module of this Python: `{top}` is, without what follows it.")
    near = nearest(top, [*_STANDARD.split(), *_SAME_NAME.split(), *PACKAGES], least=75)
    if near:
        return _in_source(failure, top, near, f"There is no module `{top}`; `{near}` is near it.")
    return Repair(
        f"`{module}` is not installed, and I do not know which package it comes from. Look it up before you install anything: "
        "a package of the same name need not be the one that is meant. If it is a file of your own, check the folder."
    )


def _no_submodule(failure: Failure, module: str) -> Repair:
    """The package is there, or it would be named without what follows it: nothing is to be installed."""
    package, _, name = module.rpartition(".")
    near = nearest(name, _SUBMODULES.get(package, "").split(), least=75)
    if near is None:
        return Repair(
            f"`{package}` is there, but it has no module `{name}`: see its documentation for where that is now."
        )
    says = f"`{package}` has no module `{name}`; `{near}` is near it."
    return _in_source(failure, module, f"{package}.{near}", says)


def _in_source(failure: Failure, old: str, new: str, says: str) -> Repair:
    pattern = rf"(?m)^(\s*(?:import|from)\s+(?:[\w., ]+,\s*)?){re.escape(old)}\b"
    changed = re.sub(pattern, rf"\g<1>{new}", failure.source)
    return Repair(says, changed if changed != failure.source else None)


def import_error(failure: Failure) -> Repair | None:
    """A name that moved to another module, or is spelled differently."""
    match = re.search(
        r"cannot import name '(?P<name>\w+)' from (?:partially initialized module )?'(?P<module>[\w.]+)'",
        failure.message,
    )
    if not match:
        return None
    name, module = match["name"], match["module"]
    if "circular import" in failure.message:
        return Repair(
            f"A file of yours is called like the module `{module}` and is imported instead of it. Rename the file."
        )
    for (old, pattern), new in _MOVED.items():
        if old == module and re.fullmatch(pattern, name) and new != "builtins":
            return _in_source(failure, module, new, f"`{name}` is in `{new}`.")
    if module not in _STANDARD.split():
        return Repair(
            f"`{module}` has no `{name}` in the version that is installed. See `dir({module})`, or its changelog."
        )
    near = nearest(name, dir(importlib.import_module(module)))
    if near is None:
        return Repair(f"`{module}` has no `{name}`, nor anything near it.")
    changed = re.sub(rf"\b{name}\b", near, failure.source)
    return Repair(f"`{module}` has no `{name}`; `{near}` is near it.", changed)
