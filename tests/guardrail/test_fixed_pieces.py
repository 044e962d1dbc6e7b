"""Pieces of mended code, cut out of their modules: no import is seen, and still nothing is flagged."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check

PIECES = {
    "a store with parameters": """
class Store:
    def __init__(self, path):
        self.conn = sqlite3.connect(path)
    def add(self, row):
        cols = ", ".join(row.keys())
        marks = ", ".join("?" * len(row))
        self.conn.execute(f"INSERT INTO items ({cols}) VALUES ({marks})", tuple(row.values()))
    def find(self, **where):
        clause = " AND ".join(f"{k} = ?" for k in where)
        return self.conn.execute("SELECT * FROM items WHERE " + clause, list(where.values()))
""",
    "a query that only numbers and names make": """
def build_query(table, limit: int):
    return f"SELECT * FROM {table} LIMIT {limit}"
""",
    "a path joined safely": """
def render(self, request, path):
    full = safe_join(self.root, path)
    if full is None or not os.path.isfile(full):
        raise Http404
    return FileResponse(open(full, "rb"))
""",
    "a name without its folders": """
def get(self, request, filename):
    filename = os.path.basename(filename)
    path = os.path.join(MEDIA, filename)
    with open(path) as f:
        return HttpResponse(f.read(), content_type="text/plain")
""",
    "a normalised path below the root": """
@app.route("/file/<name>")
def file(name):
    path = os.path.normpath(os.path.join(ROOT, name))
    if not path.startswith(ROOT + os.sep):
        abort(404)
    return send_file(path)
""",
    "git with a list": """
def run_git(repo, *args):
    return subprocess.check_output(["git", "-C", repo, *args], text=True)
""",
    "a quoted host": """
def deploy(host):
    cmd = "ssh {} uptime".format(shlex.quote(host))
    return subprocess.run(cmd, shell=True, check=True)
""",
    "a next page that is checked": """
def notify(request):
    next_page = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(next_page, allowed_hosts={request.get_host()}):
        next_page = "/"
    return HttpResponseRedirect(next_page)
""",
    "a next page without a host": """
@app.route("/login", methods=["POST"])
def login():
    nxt = request.args.get("next")
    if nxt and urlparse(nxt).netloc == "":
        return redirect(nxt)
    return redirect("/")
""",
    "YAML read safely": """
def load_config(path):
    with open(path) as fh:
        return yaml.load(fh, Loader=yaml.SafeLoader)
""",
    "an address given by the program": """
def fetch(url, session=None):
    session = session or requests.Session()
    resp = session.get(url, timeout=10)
    resp.raise_for_status()
    return resp.json()
""",
    "a checksum": """
def _hash(data):
    return hashlib.sha256(data).hexdigest()
def etag(body):
    return hashlib.md5(body, usedforsecurity=False).hexdigest()
""",
    "an escaped answer": """
def view(request):
    q = request.GET.get("q", "")
    return HttpResponse(escape(q))
""",
    "an answer in JSON": """
def view(request):
    return HttpResponse(json.dumps({"q": request.GET.get("q")}), content_type="application/json")
""",
    "a dict from a handler": """
@app.route("/api")
def api():
    return {"name": request.args.get("name")}
""",
    "an identifier of a checked type": """
@bp.route("/x", methods=["POST"])
def x():
    data = request.get_json()
    if not isinstance(data.get("id"), int):
        abort(400)
    db.session.execute(text("DELETE FROM t WHERE id = :id"), {"id": data["id"]})
    db.session.commit()
    flash("Deleted %s" % data["id"])
    return redirect(url_for("bp.index"))
""",
    "a host of a list, checked in a helper": """
from urllib.parse import urlparse
def is_allowed(url):
    host = urlparse(url).hostname
    return host in ("a.org", "b.org")
@app.get("/img")
def img(url: str):
    if not is_allowed(url):
        raise HTTPException(400)
    return Response(httpx.get(url).content)
""",
    "a token from secrets": """
import secrets
def make_token():
    alphabet = string.ascii_letters + string.digits
    return "".join(secrets.choice(alphabet) for _ in range(32))
""",
    "samples for statistics": """
random.seed(0)
rng = random.Random(3)
sample = random.choices(population, k=5)
names = [random.choice(NAMES) for _ in range(10)]
""",
    "a test's password": """
def test_login(client):
    resp = client.post("/login", data={"user": "a", "password": "b"})
    assert resp.status_code == 200
""",
    "fields of a form": """
class LoginForm(FlaskForm):
    password = PasswordField("Password", validators=[DataRequired()])
    token = StringField("Token")
PASSWORD_RESET_TIMEOUT = 3600
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
TOKEN_URL = "https://a.org/token"
password_label = "Enter password"
""",
    "members of an archive, checked": """
@app.route("/zip", methods=["POST"])
def z():
    f = request.files["f"]
    with zipfile.ZipFile(f) as zf:
        for info in zf.infolist():
            target = (DEST / info.filename).resolve()
            if not target.is_relative_to(DEST):
                abort(400)
        zf.extractall(DEST)
    return "ok"
""",
    "an echo over a WebSocket": """
async def ws(websocket):
    async for message in websocket:
        data = json.loads(message)
        await websocket.send(json.dumps({"echo": data["x"]}))
""",
    "TLS as it comes": """
s = socket.socket()
s.bind(("localhost", 8000))
ctx = ssl.create_default_context()
with ctx.wrap_socket(s, server_hostname="a.org") as t:
    t.send(b"x")
""",
    "a password hashed before it is stored": """
def save_user(username, password):
    hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt())
    cursor.execute("INSERT INTO users (username, password) VALUES (%s, %s)", (username, hashed))
""",
    "two passwords typed alike": """
if password != password_confirm:
    raise ValueError("Passwords do not match")
if len(password) < 8:
    raise ValueError
""",
    "a log without secrets": """
logger.info("Loaded %d rows from %s", n, path)
logger.debug("token count %d", token_count)
print(f"Accuracy: {acc:.2f}, key={key}")
""",
    "a template and an error page": """
@app.route("/hello/<name>")
def hello(name):
    return render_template("hello.html", name=name)
@app.errorhandler(404)
def missing(e):
    return render_template("404.html"), 404
""",
    "queries of pandas with parameters": """
engine = create_engine(os.environ["DATABASE_URL"])
df = pd.read_sql("SELECT * FROM t WHERE a = %(a)s", engine, params={"a": a})
df = pd.read_sql_query(f"SELECT * FROM {TABLE}", engine)
""",
}


@pytest.mark.parametrize("name", PIECES)
def test_a_mended_piece_is_left_alone(name: str) -> None:
    assert check(PIECES[name]) == []
