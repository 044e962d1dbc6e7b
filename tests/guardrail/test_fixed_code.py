"""Code as it should be written, in the usual frameworks: parameters, allow lists, escaping, checked paths. Nothing is flagged."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check

FIXED = {
    "sqlite_whitelist": """
@app.route("/users")
def users():
    order = request.args.get("order", "name")
    if order not in {"name", "age"}:
        order = "name"
    cur = get_db().execute(f"SELECT * FROM users ORDER BY {order}")
    return jsonify(cur.fetchall())
""",
    "psycopg_sql": """
from psycopg2 import sql
def get(conn, table, name):
    with conn.cursor() as cur:
        cur.execute(sql.SQL("SELECT * FROM {} WHERE name = %s").format(sql.Identifier(table)), (name,))
        return cur.fetchall()
""",
    "sa_core": """
from sqlalchemy import text, select
def q(session, name):
    stmt = text("SELECT * FROM users WHERE name = :name")
    return session.execute(stmt, {"name": name}).all()
def r(session, uid):
    return session.execute(select(User).where(User.id == uid)).scalar_one()
""",
    "subprocess_list": """
import subprocess
@app.route("/ping")
def ping():
    host = request.args.get("host", "")
    if not re.fullmatch(r"[A-Za-z0-9.-]+", host):
        abort(400)
    out = subprocess.run(["ping", "-c", "1", host], capture_output=True, text=True, check=True)
    return jsonify(out=out.stdout)
""",
    "path_resolve": """
from pathlib import Path
BASE = Path("/srv/data").resolve()
@app.route("/read")
def read():
    target = (BASE / request.args["name"]).resolve()
    if BASE not in target.parents:
        abort(403)
    return send_file(target)
""",
    "send_from_dir": """
from flask import send_from_directory
@app.route("/dl/<path:name>")
def dl(name):
    return send_from_directory("files", name, as_attachment=True)
""",
    "upload": """
ALLOWED = {"png"}
def allowed_file(name):
    return "." in name and name.rsplit(".", 1)[1].lower() in ALLOWED
@app.route("/up", methods=["POST"])
def up():
    f = request.files["file"]
    if f and allowed_file(f.filename):
        filename = secure_filename(f.filename)
        f.save(os.path.join(app.config["UPLOAD_FOLDER"], filename))
        return redirect(url_for("done", name=filename))
    return "bad", 400
""",
    "escape": """
from markupsafe import escape
@app.route("/hi")
def hi():
    name = request.args.get("name", "")
    return f"<h1>Hello {escape(name)}</h1>"
""",
    "redirect_safe": """
def is_safe_url(target):
    ref = urlparse(request.host_url)
    test = urlparse(urljoin(request.host_url, target))
    return test.scheme in ("http", "https") and ref.netloc == test.netloc
@app.route("/go")
def go():
    nxt = request.args.get("next")
    if not nxt or not is_safe_url(nxt):
        return redirect(url_for("index"))
    return redirect(nxt)
""",
    "ssrf_allow": """
ALLOWED_HOSTS = {"api.example.org"}
@app.route("/fetch")
def fetch():
    url = request.args.get("url", "")
    parsed = urlparse(url)
    if parsed.scheme != "https" or parsed.hostname not in ALLOWED_HOSTS:
        abort(400)
    return jsonify(requests.get(url, timeout=5).json())
""",
    "yaml_json": """
import yaml, json
def load(path):
    with open(path) as f:
        return yaml.safe_load(f)
@app.post("/x")
def x():
    data = json.loads(request.data)
    return jsonify(data)
""",
    "pw_hash": """
import hashlib, os, hmac
def hash_password(password: str) -> bytes:
    salt = os.urandom(16)
    return salt + hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 600_000)
def verify(password, stored):
    salt, digest = stored[:16], stored[16:]
    return hmac.compare_digest(digest, hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 600_000))
""",
    "werkzeug_pw": """
from werkzeug.security import generate_password_hash, check_password_hash
@app.route("/login", methods=["POST"])
def login():
    user = User.query.filter_by(username=request.form["username"]).first()
    if user and check_password_hash(user.password_hash, request.form["password"]):
        login_user(user)
        return redirect(url_for("index"))
    return render_template("login.html", error="Invalid")
""",
    "xml_defused": """
from defusedxml import ElementTree as ET
@app.post("/xml")
def parse():
    root = ET.fromstring(request.data)
    return jsonify(tag=root.tag)
""",
    "lxml_safe": """
from lxml import etree
@app.post("/xml")
def parse():
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    root = etree.fromstring(request.data, parser=parser)
    return jsonify(tag=root.tag)
""",
    "log_safe": r"""
import logging
@app.route("/l")
def l():
    name = request.args.get("name", "").replace("\r", "").replace("\n", "")
    logging.info("User %s", name)
    return jsonify(ok=True)
""",
    "ldap_safe": """
from ldap3.utils.conv import escape_filter_chars
from ldap3 import Connection
@app.route("/u")
def u():
    user = escape_filter_chars(request.args["u"])
    conn = Connection("h", auto_bind=True)
    conn.search("dc=x", f"(uid={user})")
    return jsonify(conn.entries)
""",
    "xpath_safe": """
from lxml import etree
@app.route("/u")
def u():
    root = etree.parse("users.xml")
    return jsonify([e.text for e in root.xpath("/users/user[@name=$n]/loc", n=request.args["n"])])
""",
    "cookie_safe": """
@app.route("/c")
def c():
    resp = make_response(render_template("a.html"))
    resp.set_cookie("sid", secrets.token_urlsafe(32), secure=True, httponly=True, samesite="Strict")
    return resp
""",
    "django_orm": """
from django.shortcuts import render, get_object_or_404, redirect
def view(request, pk):
    obj = get_object_or_404(Post, pk=pk)
    posts = Post.objects.filter(title__icontains=request.GET.get("q", ""))
    if request.method == "POST":
        form = PostForm(request.POST)
        if form.is_valid():
            form.save()
            return redirect("post_detail", pk=obj.pk)
    return render(request, "a.html", {"posts": posts, "q": request.GET.get("q")})
""",
    "django_raw": """
def view(request):
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM t WHERE id = %s", [request.GET["id"]])
        rows = cursor.fetchall()
    return JsonResponse({"rows": rows})
""",
    "fastapi": """
from fastapi import FastAPI, HTTPException, Depends
app = FastAPI()
@app.get("/items/{item_id}")
def read(item_id: int, q: str | None = None, db: Session = Depends(get_db)):
    item = db.query(Item).filter(Item.id == item_id, Item.name == q).first()
    if item is None:
        raise HTTPException(404, "not found")
    return {"item": item, "q": q}
@app.post("/items")
def create(item: ItemIn, db: Session = Depends(get_db)):
    db_item = Item(**item.dict())
    db.add(db_item)
    return db_item
""",
    "argparse_script": """
import argparse, pandas as pd
p = argparse.ArgumentParser()
p.add_argument("--input"); p.add_argument("--out")
args = p.parse_args()
df = pd.read_csv(args.input)
df.to_csv(args.out)
with open(args.out) as f:
    print(f.read())
""",
    "ml": """
import numpy as np, random, os
SEED = 42
random.seed(SEED); np.random.seed(SEED)
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
tokens = tokenizer("hello")
token_ids = random.sample(range(100), 10)
max_tokens = random.randint(1, 10)
key = "species"
secret_sauce = "mayo"
password_col = "password"
def load(path):
    return np.load(path)
model.eval()
df.query("a > 1 and b < @x")
""",
    "eval_literal": """
import ast, operator
OPS = {"+": operator.add}
@app.route("/calc")
def calc():
    a = int(request.args["a"]); b = int(request.args["b"])
    op = OPS.get(request.args.get("op", "+"))
    if op is None:
        abort(400)
    return jsonify(result=op(a, b))
""",
    "tar_safe": """
import tarfile, os
def extract(path, dest):
    with tarfile.open(path) as tar:
        for m in tar.getmembers():
            target = os.path.realpath(os.path.join(dest, m.name))
            if not target.startswith(os.path.realpath(dest) + os.sep):
                raise ValueError("bad")
        tar.extractall(dest, filter="data")
""",
    "tar_members": """
import tarfile, os
def safe_members(tar, dest):
    for m in tar.getmembers():
        p = os.path.abspath(os.path.join(dest, m.name))
        if p.startswith(os.path.abspath(dest)):
            yield m
def extract(path, dest):
    with tarfile.open(path) as tar:
        tar.extractall(dest, members=safe_members(tar, dest))
""",
    "tar_check_loop": """
import tarfile, os
def is_within_directory(directory, target):
    return os.path.commonprefix([os.path.abspath(directory), os.path.abspath(target)]) == os.path.abspath(directory)
def extract(path, dest):
    with tarfile.open(path) as tar:
        for member in tar.getmembers():
            if not is_within_directory(dest, os.path.join(dest, member.name)):
                raise Exception("Attempted Path Traversal in Tar File")
        tar.extractall(dest)
""",
    "jinja": """
from jinja2 import Environment, FileSystemLoader, select_autoescape
env = Environment(loader=FileSystemLoader("t"), autoescape=select_autoescape(["html"]))
@app.route("/r")
def r():
    return env.get_template("a.html").render(name=request.args.get("name"))
""",
    "render_template_return": """
@app.route("/u/<name>")
def u(name):
    user = db.users.find_one({"name": str(name)})
    return render_template("u.html", user=user, name=name)
""",
    "tornado": """
class H(tornado.web.RequestHandler):
    def get(self):
        name = self.get_argument("name")
        self.write(tornado.escape.xhtml_escape(name))
        self.write({"name": name})
""",
    "aiohttp_json": """
from aiohttp import web
async def h(request):
    name = request.match_info.get("name")
    return web.json_response({"name": name})
""",
    "int_path": """
@app.route("/p")
def p():
    i = int(request.args["i"])
    return send_file(f"pages/{i}.html")
""",
    "uuid_name": """
@app.route("/p", methods=["POST"])
def p():
    f = request.files["f"]
    ext = os.path.splitext(f.filename)[1].lower()
    if ext not in {".png", ".jpg"}:
        abort(400)
    name = uuid.uuid4().hex + ext
    f.save(os.path.join("up", name))
    return jsonify(name=name)
""",
    "dict_dispatch": """
PAGES = {"a": "a.html", "b": "b.html"}
@app.route("/p")
def p():
    page = PAGES.get(request.args.get("p"), "a.html")
    return send_file(os.path.join("pages", page))
""",
    "temp": """
import tempfile
with tempfile.NamedTemporaryFile("w", delete=False) as f:
    f.write("x")
""",
    "env_debug": """
if __name__ == "__main__":
    app.run(debug=os.environ.get("FLASK_DEBUG") == "1")
""",
    "jwt_ok": """
import jwt
def decode(token):
    return jwt.decode(token, os.environ["JWT_SECRET"], algorithms=["HS256"])
def encode(data):
    return jwt.encode(data, SECRET_KEY, algorithm="HS256")
""",
    "aes_ok": """
from Crypto.Cipher import AES
from Crypto.Random import get_random_bytes
def enc(key, data):
    iv = get_random_bytes(16)
    cipher = AES.new(key, AES.MODE_CBC, iv)
    return iv + cipher.encrypt(data)
""",
    "session_user": """
@app.route("/me")
def me():
    if "user" not in session:
        return redirect("/login")
    return "Logged in as " + escape(session["user"])
""",
    "paramiko_ok": """
client = paramiko.SSHClient()
client.load_system_host_keys()
client.set_missing_host_key_policy(paramiko.RejectPolicy())
client.connect(host, username=user, password=os.environ["PW"])
stdin, stdout, stderr = client.exec_command("uptime")
""",
    "sql_in": """
def get(conn, ids):
    placeholders = ", ".join(["?"] * len(ids))
    query = f"SELECT * FROM t WHERE id IN ({placeholders})"
    return conn.execute(query, ids).fetchall()
def get2(conn, ids):
    q = "SELECT * FROM t WHERE id IN ({})".format(",".join("?" for _ in ids))
    return conn.execute(q, tuple(ids))
""",
    "sql_dynamic_update": """
FIELDS = ("name", "age")
def update(conn, uid, data):
    cols = [f for f in FIELDS if f in data]
    sql = "UPDATE t SET " + ", ".join(f"{c} = ?" for c in cols) + " WHERE id = ?"
    conn.execute(sql, [data[c] for c in cols] + [uid])
""",
    "csrf_form": """
@app.route("/search")
def search():
    q = request.args.get("q", "")
    results = Post.query.filter(Post.title.contains(q)).all()
    return render_template("s.html", q=q, results=results)
""",
}


@pytest.mark.parametrize("name", FIXED)
def test_fixed_code_is_left_alone(name: str) -> None:
    assert check(FIXED[name]) == []
