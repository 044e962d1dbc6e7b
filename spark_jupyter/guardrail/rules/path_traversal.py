"""Paths built from input.

They can leave the folder that was meant.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State, named
from spark_jupyter.guardrail.taint_values import HOLE, Danger, Flows, Trust, Value, words

_OPEN: Final = (
    "open io.open codecs.open os.open os.listdir os.scandir os.walk os.mkdir os.makedirs os.stat "
    "os.rename os.replace os.chdir os.symlink os.link os.chmod os.chown os.access "
    "shutil.copy shutil.copyfile shutil.copy2 shutil.copytree shutil.move flask.send_file send_file "
    "bottle.static_file sendfile django.http.FileResponse FileResponse fastapi.responses.FileResponse "
    "starlette.responses.FileResponse aiohttp.web.FileResponse aiofiles.open gzip.open bz2.open lzma.open linecache.getline "
    "zipfile.ZipFile tarfile.open pandas.read_csv pandas.read_excel pandas.read_json pandas.read_parquet pandas.read_table pandas.read_hdf "
    "polars.read_csv polars.read_parquet numpy.load numpy.loadtxt PIL.Image.open Image.open "
    "discord.File nextcord.File disnake.File aiogram.types.FSInputFile "
    "cv2.imread imageio.imread os.path.getsize glob.glob fileinput.input mmap.mmap"
)
_FOLDERS: Final = tuple("/home /var /etc /srv /usr /opt /data /tmp ./uploads uploads/ ./static static/".split())
_READS_ADDRESSES: Final = words(
    "pandas.read_csv pandas.read_excel pandas.read_json pandas.read_parquet pandas.read_table pandas.read_hdf "
    "polars.read_csv polars.read_parquet imageio.imread"
)
"""They take a path, and an address as well."""
_ADDRESS: Final = re.compile(r"ur[il]\b|address|link|href", re.IGNORECASE)
_DELETE: Final = "os.remove os.unlink os.rmdir os.removedirs shutil.rmtree os.truncate send2trash.send2trash"
_METHODS: Final = (
    "read_text read_bytes write_text write_bytes unlink rmdir save extract saveas put_file open touch mkdir"
)
_DOWNLOADS: Final = {
    "download_file": (2, "Filename"),
    "fget_object": (2, "file_path"),
    "download_to_filename": (0, "filename"),
}
"""Argument of boto3's, minio's and google-cloud-storage's downloads that names the target file."""
_PATH_NAMES: Final = words("path filename filepath imagepath filetodelete userfile username")
_BASE: Final = words("username userid user name filename file fname imagename image doc document page template")


_WRITES: Final = "to_csv to_parquet to_excel to_json to_pickle to_feather to_html savefig write_csv write_parquet write_image write_html"
_WRITERS: Final = "cv2.imwrite numpy.save numpy.savez numpy.savetxt imageio.imwrite sqlite3.connect duckdb.connect"
_TARGETS: Final = ("path_or_buf", "path", "excel_writer", "fname", "file", "filename", "buf", "database")
_ANSWERS: Final = ("urlopen()", ".raw", "urlopen().__enter__()")
_UPLOADED: Final = ("files[]", "files.get()", "FILES[]", "FILES.get()", "file_uploader()", "camera_input()")


def _path(call: Call, state: State) -> Hit | None:
    if call.name in ("aiofiles.open", "open") and not call.args and not call.kwargs:
        return None
    position = 1 if call.name.startswith(("shutil.copy", "shutil.move", "os.rename", "os.replace")) else 0
    values = (
        call.args[:2]
        if position
        else [call.argument(0, "file", "path", "filename", "path_or_file", "filename_or_fp", "name")]
    )
    for value in values:
        hit = _judge(call, value, state)
        if hit is not None:
            return hit
    return None


def _judge(call: Call, value: Value, state: State) -> Hit | None:
    flows = state.dangerous(value, Danger.PATH, Trust.FILE)
    if not flows:
        return None
    if value.name in ("io.BytesIO()", "io.StringIO()"):
        return None  # a file in memory
    if value.text is None and (value.name.endswith(_UPLOADED) or _is_stream(call.node)):
        return None  # the uploaded file itself, not a path
    if value.text is None and value.name.endswith(_ANSWERS):
        return None  # what a server answers, open to be read
    if value.text is None and value.name.endswith(".name") and state.uses("gradio"):
        return None  # where Gradio put an uploaded file
    worst = flows[0][0].trust
    if worst == Trust.FILE:
        return Hit(call.node, flows=flows, severity="warn") if _member(flows, value) else None
    if worst >= Trust.NETWORK and call.name in _READS_ADDRESSES and (value.text or HOLE) == HOLE:
        return Hit(
            call.node,
            flows=flows,
            cwe=918 if _ADDRESS.search(ast.unparse(call.node)) else None,
            message="Input decides what is read here: any file, and any address that this computer reaches.",
            remedy="Choose from a dict of the paths and addresses that may be read.",
        )
    if worst >= Trust.NETWORK:
        return Hit(call.node, flows=flows)
    text = value.text or ""
    joined = (HOLE in text and text.strip("./") != HOLE and len(text.replace(HOLE, "")) > 1) or value.name.endswith(
        ("os.path.join()", "joinpath()", "/")
    )
    if worst == Trust.LOCAL:
        return Hit(call.node, flows=flows, severity="warn") if joined else None
    if (
        joined
        and named(flows, _BASE)
        and ("/" in text or value.name.endswith("join()"))
        and text[:1] in ("/", ".", "\0")
    ):
        return Hit(call.node, severity="warn") if _certain_prefix(text) else Hit(call.node, flows=flows)
    return Hit(call.node, flows=flows)


def _is_stream(node: ast.Call) -> bool:
    """``np.load(upload.file)``: what FastAPI, Starlette and Werkzeug call the open file of an upload."""
    return bool(node.args) and isinstance(node.args[0], ast.Attribute) and node.args[0].attr in {"file", "stream"}


def _member(flows: Flows, value: Value) -> bool:
    """A file is written or read under the name that it has in an archive."""
    named_so = any(origin.label == "an archive" for origin, _ in flows)
    return named_so and (
        value.name.endswith(("os.path.join()", "/")) or (HOLE in (value.text or "") and len(value.text or "") > 1)
    )


def _certain_prefix(text: str) -> bool:
    """``"/home/" + username``: a folder for each user, below one that matters."""
    return text.startswith(_FOLDERS)


def _download(call: Call, state: State) -> Hit | None:
    """``s3.download_file(bucket, key, path)`` and its like write what they fetch to a path of ours."""
    position, name = _DOWNLOADS[call.tail]
    if call.tail == "download_file" and len(call.args) == 2:
        position = 1  # of a bucket
    return _judge(call, call.argument(position, name), state)


def _written(call: Call, state: State) -> Hit | None:
    """``df.to_csv(f"out/{name}.csv")``: others say which file is written."""
    flows = state.dangerous(call.argument(0, *_TARGETS), Danger.PATH, Trust.NETWORK)
    return Hit(call.node, flows=flows) if flows else None


def _exists(call: Call, state: State) -> Hit | None:
    """``os.path.exists(path)`` tells whoever asks if a file is there."""
    flows = state.certain(call.argument(0, "path"), Danger.PATH, Trust.REMOTE)
    return Hit(call.node, flows=flows, severity="warn") if flows else None


def _delete(call: Call, state: State) -> Hit | None:
    value = call.argument(0, "path")
    flows: Flows = state.dangerous(value, Danger.PATH, Trust.LOCAL)
    if not flows:
        return None
    if flows[0][0].trust >= Trust.LOCAL:
        return Hit(call.node, flows=flows, severity="block" if flows[0][0].trust >= Trust.NETWORK else "warn")
    given = {name for scope in state.scopes if scope.summary is not None for name in scope.summary.parameters}
    own = tuple(flow for flow in flows if flow[0].parameter in given)  # not those with which an object was made
    return Hit(call.node, severity="warn") if named(own, _PATH_NAMES) else Hit(call.node, flows=flows)


def _method(call: Call, state: State) -> Hit | None:
    if call.tail == "save":
        value = call.argument(0, "dst", "fp", "path", "name")
        flows = state.dangerous(value, Danger.PATH, Trust.NETWORK)
        return Hit(call.node, flows=flows) if any(one.trust >= Trust.NETWORK for one, _ in flows) else None
    if call.tail == "extract" or (
        call.tail == "open" and "Path" not in call.receiver.name and "/" not in call.receiver.name
    ):
        return None
    if call.tail == "mkdir" and call.name == "os.mkdir":
        return None
    if "Path" not in call.receiver.name and not call.receiver.name.endswith(("/", "resolve()", "joinpath()")):
        return None
    return _judge(call, call.receiver, state)


RULE: Final = Rule(
    id="path-traversal",
    cwe=22,
    severity="block",
    message="This path is made from input: with ../ in it, it leads to any file.",
    remedy="Use secure_filename or os.path.basename, or check Path(base, name).resolve().is_relative_to(base).",
    bad=(
        'filename = request.args.get("f")\nopen(filename).read()',
        'import os\nfrom flask import request, send_file\nsend_file(os.path.join("static", request.args["f"]))',
        'from pathlib import Path\np = Path("data") / request.args["f"]\np.read_text()',
    ),
    good=(
        "import sqlite3\nsqlite3.connect('shop.db')",
        "name = input()\ndf.to_csv(f'out/{name}.csv')",
        (
            "import numpy as np\nfrom fastapi import FastAPI, UploadFile\napp = FastAPI()\n@app.post('/')\nasync def e(file: UploadFile):\n"
            "    return {'shape': np.load(file.file, allow_pickle=False).shape}"
        ),
    ),
    calls={
        **on(_OPEN, _path),
        **on(_DELETE, _delete),
        **on(_WRITERS, _written),
        **on("os.path.exists os.path.lexists os.path.isfile os.path.isdir", _exists),
    },
    methods={**on(_METHODS, _method), **on(_WRITES, _written), **dict.fromkeys(_DOWNLOADS, _download)},
)
