"""Names of packages that are widely known, and the nearest one to a slip. Written from memory of the scientific and web
ecosystems; being absent here says only that a person should look."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from rapidfuzz.distance import DamerauLevenshtein

KNOWN: Final = frozenset(
    """
    absl-py accelerate aiofiles aiohttp alembic altair anthropic anyio anywidget arviz astropy asyncpg attrs autopep8 awkward azure-identity
    azure-storage-blob backoff bandit bcrypt beautifulsoup4 biopython bitsandbytes black bleach blosc bokeh boto3 botocore bottle bqplot branca
    cachetools captum cartopy catboost category-encoders celery cffi chardet charset-normalizer chromadb click cloudpickle cmdstanpy colorama
    contourpy coverage cryptography cudf cufflinks cvxpy cycler cython dash dask dask-ml databricks-connect datasets dateparser deap
    debugpy decorator deepspeed defusedxml deprecated detect-secrets diffusers dill distributed django django-filter djangorestframework
    docker docutils dtreeviz duckdb ecdsa einops elasticsearch emcee eli5 email-validator evaluate exifread faiss-cpu faiss-gpu faker
    fastai fastapi fastparquet feather-format feedparser filelock findspark fiona flake8 flask flask-cors flask-login flask-sqlalchemy
    flask-wtf flax folium fonttools fsspec fugue future gdown geopandas geopy gensim gevent ggplot gitpython google-api-python-client
    google-auth google-cloud-bigquery google-cloud-storage google-generativeai gradio graphviz great-expectations greenlet gspread
    gunicorn gym gymnasium h5py haystack-ai hdbscan holoviews httpx httptools huggingface-hub hvplot hydra-core hypothesis igraph imageio
    imbalanced-learn imblearn implicit inflect invoke ipykernel ipympl ipyleaflet ipython ipython-sql ipywidgets isort itsdangerous jax jaxlib jedi
    jieba jinja2 joblib jsonpickle jsonschema jupyter jupyter-ai jupyter-client jupyter-core jupyterhub jupyterlab jupyterlab-git jupytext
    kaggle keras keras-tuner kubernetes kornia langchain langchain-community langchain-core langchain-openai langgraph ldap3 librosa
    lifelines lightgbm lightning line-profiler llama-index llvmlite lmfit loguru lxml mako markdown markdown-it-py markupsafe marshmallow
    matplotlib matplotlib-inline matplotlib-venn memory-profiler mesa missingno mistune mkdocs mlflow mlxtend mock modin moto mplfinance
    msgpack msgspec multiprocess mypy mysql-connector-python mysqlclient nbclient nbconvert nbformat nbval nest-asyncio networkx nevergrad
    nibabel nltk nose notebook numba numexpr numpy numpyro nvidia-ml-py oauthlib olefile onnx onnxruntime openai opencv-contrib-python
    opencv-python opencv-python-headless openpyxl optax optuna orjson osmnx packaging paho-mqtt pandas pandas-datareader pandas-profiling
    pandera panel papermill paramiko parquet passlib pathlib patsy pdfminer-six pdfplumber peewee peft pendulum pexpect pillow pingouin
    pint pip pipenv pivottablejs plotly plotnine pluggy pmdarima poetry polars pony prefect pre-commit prettytable prince prometheus-client
    prompt-toolkit prophet protobuf psutil psycopg psycopg2 psycopg2-binary pulp py4j pyarrow pyaudio pycaret pycocotools pycryptodome
    pycryptodomex pydantic pydantic-settings pydeck pydicom pydot pydub pyerfa pyfiglet pyflakes pygame pygments pyjwt pyldavis pylint
    pymc pymc3 pymongo pymssql pymupdf pymysql pynndescent pyodbc pyomo pyopenssl pypdf pypdf2 pyperclip pyproj pyqt5 pyqt6 pyreadstat
    pyro-ppl pyserial pyspark pystan pytesseract pytest pytest-asyncio pytest-cov python-dateutil python-docx python-dotenv python-igraph
    python-jose python-ldap python-multipart python-pptx pytorch pytorch-lightning pytz pyvis pyvista pywavelets pyyaml pyzmq qiskit quart
    rapidfuzz rasterio ray redis regex reportlab requests requests-oauthlib rich rioxarray rope rpy2 rsa ruff s3fs sacrebleu sagemaker
    scapy scikit-image scikit-learn scikit-optimize scikit-surprise scipy scrapy seaborn selenium sentence-transformers sentencepiece
    setuptools shap shapely simpy six sklearn-pandas skorch smart-open sniffio snowflake-connector-python sounddevice soundfile soupsieve
    spacy spark-nlp sparkmagic spark-jupyter sphinx sqlalchemy sqlglot sqlmodel sqlparse stable-baselines3 stanza starlette statsmodels streamlit stripe
    sympy tables tabulate tabula-py tbb tenacity tensorboard tensorflow tensorflow-datasets tensorflow-gpu tensorflow-hub
    tensorflow-probability tensorflow-text termcolor textblob textdistance textstat theano threadpoolctl tifffile tiktoken timm tokenizers
    toml tomli toolz torch torchaudio torchdata torchmetrics torchtext torchvision tornado tox tpot tqdm traitlets transformers trimesh
    trio trl tsfresh tslearn tweepy twilio twine typer typing-extensions tzdata ujson umap-learn unidecode uproot urllib3 uv uvicorn
    uvloop vaex validators vega vega-datasets vispy virtualenv voila wandb watchdog watermark wcwidth webdriver-manager websocket-client
    websockets werkzeug wget wheel widgetsnbextension wikipedia word2vec wordcloud xarray xgboost xlrd xlsxwriter xlwt xmltodict yellowbrick
    yfinance yt-dlp zarr zeep zipp
    """.split()
)


@lru_cache(maxsize=1024)
def near(name: str) -> str | None:
    """The known name that ``name`` is most likely a slip of: one edit away (two for long names), or the same but for
    separators, ``python-``/``py`` before it or a digit after it."""
    squeezed = name.replace("-", "")
    best: tuple[int, str] | None = None
    for known in KNOWN:
        if abs(len(known) - len(name)) > 2 or len(known) < 4:
            continue
        if known.replace("-", "") == squeezed or known.rstrip("0123456789") == name:
            return known
        limit = 1 if len(known) < 8 else 2
        distance = DamerauLevenshtein.distance(name, known, score_cutoff=limit)
        if distance <= limit and (best is None or (distance, known) < best):
            best = (distance, known)
    return best[1] if best else None
