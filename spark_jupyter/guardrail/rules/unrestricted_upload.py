"""Uploads stored under the name and type that the sender chose."""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust


def _save(call: Call, state: State) -> Hit | None:
    target = call.argument(0, "dst", "file", "path")
    if "files" not in call.receiver.name and "FILES" not in call.receiver.name and "filename" not in target.name:
        return None
    flows = state.certain(target, Danger.UPLOAD, Trust.NETWORK)
    return Hit(call.node, flows=flows) if flows else None


def _open(call: Call, state: State) -> Hit | None:
    mode = call.argument(1, "mode").known_text or ""
    target = call.argument(0, "file")
    if not set(mode) & set("wxa"):
        return None
    flows = state.certain(target, Danger.UPLOAD, Trust.NETWORK)
    labels = {origin.label for origin, _ in target.flows}
    uploaded = "an uploaded file" in labels and "an archive" not in labels  # a member's name is another rule's matter
    return Hit(call.node, flows=flows) if flows and uploaded else None


def _served(call: Call, state: State) -> Hit | None:
    """``(FOLDER / f"{key}{suffix}").open("wb")`` in a program that serves a folder of files."""
    mode = call.argument(0, "mode").known_text or ""
    if state.lookup("StaticFiles") is None or (call.tail == "open" and not set(mode) & set("wxa")):
        return None
    flows = state.certain(call.receiver, Danger.UPLOAD, Trust.NETWORK)
    return Hit(call.node, flows=flows) if any(origin.label == "an uploaded file" for origin, _ in flows) else None


RULE: Final = Rule(
    id="unrestricted-upload",
    cwe=434,
    severity="warn",
    message="An uploaded file is kept with the ending that its sender chose: it may be a script, a page, a program.",
    remedy="Make the name yourself (uuid4) or with secure_filename, and allow only the endings that you expect.",
    bad=(
        'f = request.files["f"]\nf.save("uploads/" + f.filename)',
        'from werkzeug.utils import secure_filename\nf = request.files["f"]\nf.save("static/" + secure_filename(f.filename))',
        'img = request.files["img"]\nwith open("./pictures/" + img.filename, "wb") as out:\n    out.write(img.read())',
    ),
    good=(
        (
            "from pathlib import Path\nfrom fastapi.staticfiles import StaticFiles\n@app.post('/')\ndef put(file: UploadFile):\n"
            "    suffix = Path(file.filename).suffix\n    if suffix not in ENDINGS:\n        abort(400)\n"
            "    (FOLDER / (uuid4().hex + suffix)).write_bytes(file.file.read())"
        ),
        (
            'from werkzeug.utils import secure_filename\nf = request.files["f"]\nif allowed_file(f.filename)'
            ':\n    f.save("uploads/" + secure_filename(f.filename))'
        ),
        (
            'import os, zipfile\nz = zipfile.ZipFile(request.files["f"])\n'
            "for n in z.namelist():\n    t = os.path.realpath(os.path.join(base, n))\n"
            '    if not t.startswith(base + os.sep):\n        continue\n    open(t, "wb").write(z.read(n))'
        ),
    ),
    calls=on("open", _open),
    methods={"save": _save, **on("open write_bytes", _served)},
)
