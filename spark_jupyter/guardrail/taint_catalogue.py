"""Catalogue of taint sources, propagators and sanitisers.

The names are those of the libraries' own documentation; they are matched by qualified name where the import was seen,
else by the name as written.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.taint_values import EVERYTHING, STARTUP, Danger, Trust, words


def _words(text: str) -> list[str]:
    """Split a text into names, which is easier to read than a list of forty strings."""
    return text.split()


REQUEST_NAMES: Final = words("request req self.request _request web_request http_request")
REQUEST_ATTRIBUTES: Final = frozenset(
    _words(
        "args form values json data files cookies headers GET POST FILES COOKIES META body query query_params path_params "
        "match_info query_string params forms url full_path referrer user_agent rel_url stream get_json get_data post "
        "text read content_type environ arguments body_arguments query_arguments raw_body base_url host path_info input_stream "
        "view_args authorization get_full_path get_raw_uri build_absolute_uri form_data file path matchdict json_body param"
    )
)

CALL_SOURCES: Final = {
    "input": ("what the user types", Trust.LOCAL),
    "raw_input": ("what the user types", Trust.LOCAL),
    "sys.stdin.read": ("standard input", Trust.LOCAL),
    "sys.stdin.readline": ("standard input", Trust.LOCAL),
    "sys.stdin.readlines": ("standard input", Trust.LOCAL),
    "fileinput.input": ("standard input", Trust.LOCAL),
    "os.getenv": ("an environment variable", Trust.ENVIRONMENT),
    "os.environ.get": ("an environment variable", Trust.ENVIRONMENT),
    "cgi.FieldStorage": ("a request", Trust.REMOTE),
    "web.input": ("a request", Trust.REMOTE),
    "web.data": ("a request", Trust.REMOTE),
    "streamlit.text_input": ("what a visitor types", Trust.REMOTE),
    "streamlit.text_area": ("what a visitor types", Trust.REMOTE),
    "streamlit.chat_input": ("what a visitor types", Trust.REMOTE),
    "streamlit.file_uploader": ("an uploaded file", Trust.REMOTE),
    "ipywidgets.Text": ("what the user types", Trust.LOCAL),
    "ipywidgets.Textarea": ("what the user types", Trust.LOCAL),
    "ipywidgets.Combobox": ("what the user types", Trust.LOCAL),
    "flask_restful.reqparse.RequestParser().parse_args": ("a request", Trust.REMOTE),
    "kafka.KafkaConsumer": ("a message", Trust.NETWORK),
    "aiokafka.AIOKafkaConsumer": ("a message", Trust.NETWORK),
    "confluent_kafka.Consumer().poll": ("a message", Trust.NETWORK),
    "confluent_kafka.Consumer().consume": ("a message", Trust.NETWORK),
    "transformers.pipeline(text)": ("a model's answer", Trust.NETWORK),
    "site.getusersitepackages": (STARTUP, Trust.OWN),
    "site.getsitepackages": (STARTUP, Trust.OWN),
    "IPython.paths.get_ipython_dir": (STARTUP, Trust.OWN),
    "open": ("a file", Trust.FILE),
    "io.open": ("a file", Trust.FILE),
    "codecs.open": ("a file", Trust.FILE),
    "zipfile.ZipFile": ("an archive", Trust.FILE),
    "tarfile.open": ("an archive", Trust.FILE),
    "tarfile.TarFile": ("an archive", Trust.FILE),
    "click.prompt": ("what the user types", Trust.LOCAL),
    "typer.prompt": ("what the user types", Trust.LOCAL),
    "tkinter.simpledialog.askstring": ("what the user types", Trust.LOCAL),
    "urllib.request.urlopen": ("the network", Trust.NETWORK),
    "urllib2.urlopen": ("the network", Trust.NETWORK),
}
for _read in _words("read readline readuntil"):
    CALL_SOURCES[f"asyncio.open_connection()[].{_read}"] = ("the network", Trust.NETWORK)
for _client in ("requests", "httpx"):
    for _verb in _words("get post put patch delete head options request"):
        CALL_SOURCES[f"{_client}.{_verb}"] = ("the network", Trust.NETWORK)

METHOD_SOURCES: Final = {
    "get_argument": ("a request", Trust.REMOTE),
    "get_arguments": ("a request", Trust.REMOTE),
    "get_query_argument": ("a request", Trust.REMOTE),
    "get_query_arguments": ("a request", Trust.REMOTE),
    "get_body_argument": ("a request", Trust.REMOTE),
    "get_body_arguments": ("a request", Trust.REMOTE),
    "get_cookie": ("a cookie", Trust.REMOTE),
    "text_input": ("what a visitor types", Trust.REMOTE),  # of a column or the side bar
    "text_area": ("what a visitor types", Trust.REMOTE),
    "chat_input": ("what a visitor types", Trust.REMOTE),
    "file_uploader": ("an uploaded file", Trust.REMOTE),
    "receive_text": ("a message", Trust.REMOTE),
    "receive_json": ("a message", Trust.REMOTE),
    "receive_bytes": ("a message", Trust.REMOTE),
    "iter_text": ("a message", Trust.REMOTE),
    "iter_json": ("a message", Trust.REMOTE),
    "receive_message": ("a message", Trust.NETWORK),
    "receive_messages": ("a message", Trust.NETWORK),
    "recv": ("the network", Trust.NETWORK),
    "recvfrom": ("the network", Trust.NETWORK),
    "recv_string": ("the network", Trust.NETWORK),
    "readexactly": ("the network", Trust.NETWORK),
    "generate_content": ("a model's answer", Trust.NETWORK),
    "parse_args": ("the command line", Trust.LOCAL),
    "parse_known_args": ("the command line", Trust.LOCAL),
}
NAME_SOURCES: Final = {
    "get_ipython().profile_dir.startup_dir": (STARTUP, Trust.OWN),
    "streamlit.query_params": ("the address", Trust.REMOTE),
    "sys.argv": ("the command line", Trust.LOCAL),
    "sys.stdin": ("standard input", Trust.LOCAL),
    "os.environ": ("the whole environment", Trust.ENVIRONMENT),
    "os.environb": ("an environment variable", Trust.ENVIRONMENT),
    "self.rfile": ("a request", Trust.REMOTE),
    "self.headers": ("a request", Trust.REMOTE),
    "self.path": ("a request", Trust.REMOTE),
}

_H, _S, _P, _L = Danger.HTML, Danger.SHELL, Danger.PATH, Danger.LDAP
_LINE = Danger.LOG | Danger.HEADER
_WEB = Danger.URL | Danger.REDIRECT

SANITISERS: Final[dict[str, int]] = {
    **dict.fromkeys(_words("int float bool len complex ord hash round abs uuid.UUID bson.ObjectId"), EVERYTHING),
    **dict.fromkeys(
        _words("bson.objectid.ObjectId datetime.datetime.strptime decimal.Decimal datetime.date.fromisoformat"),
        EVERYTHING,
    ),
    **dict.fromkeys(_words("isinstance type id hasattr callable datetime.datetime.fromisoformat"), EVERYTHING),
    **dict.fromkeys(  # an address of the own network is an address, too
        _words("ipaddress.ip_address ipaddress.IPv4Address ipaddress.IPv6Address"), EVERYTHING & ~int(Danger.URL)
    ),
    **dict.fromkeys(_words("shlex.quote shlex.join pipes.quote subprocess.list2cmdline"), _S),
    **dict.fromkeys(
        _words(
            "html.escape markupsafe.escape flask.escape cgi.escape bleach.clean bleach.linkify jinja2.escape nh3.clean"
        ),
        _H | Danger.XML,
    ),
    **dict.fromkeys(
        _words("escape conditional_escape format_html django.utils.html.escape django.utils.html.conditional_escape"),
        _H | Danger.XML,
    ),
    **dict.fromkeys(
        _words(
            "django.utils.html.format_html django.utils.html.strip_tags xml.sax.saxutils.escape werkzeug.utils.escape"
        ),
        _H | Danger.XML,
    ),
    **dict.fromkeys(
        _words(
            "tornado.escape.xhtml_escape django.utils.html.escapejs xml.sax.saxutils.quoteattr flask.jsonify flask.json.dumps"
        ),
        _H | Danger.XML,
    ),
    **dict.fromkeys(_words("os.path.basename ntpath.basename posixpath.basename"), _P | Danger.UPLOAD),
    **dict.fromkeys(
        _words("werkzeug.utils.secure_filename secure_filename werkzeug.secure_filename"),
        _P | _LINE | _S,
    ),
    **dict.fromkeys(
        _words(
            "werkzeug.utils.safe_join flask.safe_join werkzeug.security.safe_join safe_join django.utils._os.safe_join"
        ),
        _P,
    ),
    **dict.fromkeys(
        _words("django.utils.text.get_valid_filename get_valid_filename pathvalidate.sanitize_filename"),
        _P | Danger.UPLOAD,
    ),
    **dict.fromkeys(
        _words("urllib.parse.quote urllib.parse.quote_plus urllib.parse.urlencode urllib.quote urllib.urlencode"),
        _WEB | _H | _LINE | _S,
    ),
    **dict.fromkeys(
        _words("urllib.quote_plus werkzeug.urls.url_quote django.utils.http.urlencode flask.url_for url_for"),
        _WEB | _H | _LINE,
    ),
    **dict.fromkeys(_words("django.urls.reverse reverse django.shortcuts.resolve_url"), _WEB),
    "re.escape": Danger.REGEX,
    **dict.fromkeys(
        _words("ldap3.utils.conv.escape_filter_chars ldap.filter.escape_filter_chars ldap.dn.escape_dn_chars"), _L
    ),
    **dict.fromkeys(
        _words("ldap3.utils.dn.escape_rdn escape_filter_chars escape_dn_chars escape_rdn ldap.filter.filter_format"), _L
    ),
    **dict.fromkeys(_words("repr ascii json.dumps"), _LINE),
    "ast.literal_eval": Danger.CODE,
    **dict.fromkeys(
        _words("quote_ident psycopg2.extensions.quote_ident psycopg2.sql.Identifier sql.Identifier"), Danger.SQL
    ),
    **dict.fromkeys(
        _words(
            "psycopg2.sql.Identifier psycopg2.sql.Literal psycopg.sql.Identifier psycopg.sql.Literal psycopg2.sql.SQL psycopg.sql.SQL"
        ),
        Danger.SQL,
    ),
    **dict.fromkeys(_words("pymysql.converters.escape_string sqlalchemy.sql.expression.quoted_name"), Danger.SQL),
    **dict.fromkeys(
        _words("werkzeug.security.generate_password_hash bcrypt.hashpw django.contrib.auth.hashers.make_password"),
        EVERYTHING,
    ),
    **dict.fromkeys(_words("defusedxml.ElementTree.fromstring defusedxml.ElementTree.parse"), Danger.XML),
}

METHOD_SANITISERS: Final[dict[str, int]] = {
    **dict.fromkeys(
        _words("hexdigest digest isdigit isalnum isalpha isnumeric isidentifier startswith endswith count find index"),
        EVERYTHING,
    ),
    **dict.fromkeys(_words("quote_name quote_identifier escape_string escape_literal mogrify"), Danger.SQL),
    **dict.fromkeys(_words("filter_by scalar_one_or_none"), EVERYTHING),
    "isoformat": EVERYTHING,
    "total_seconds": EVERYTHING,
}

SANITISER_NAME: Final = re.compile(
    (
        r"saniti[sz]e|escape|(?:^|_)quote|valid|whitelist|allow_?list|secure_?filename|safe_?(?:path|"
        r"join|url|name|file)|_safe\b|^safe_|clean_?(?:input|name|path|html|file|url)|strip_tags|purify"
    ),
    re.IGNORECASE,
)
GUARD_NAME: Final = re.compile(
    (
        r"valid|allow|safe|permit|white_?list|trusted|saniti[sz]e|legit|authori[sz]ed_(?:url|path|"
        r"host)|is_internal|is_public|is_relative|within|inside|contained"
    ),
    re.IGNORECASE,
)
CHECK_NAME: Final = re.compile(
    r"^_*(?:validate|ensure|assert|check|verify|require|sanitize|guard|reject|forbid)", re.IGNORECASE
)

MAIL: Final = _words("email imaplib poplib mailbox imapclient imap_tools aiosmtpd exchangelib")
"""Libraries with messages whose attachment names (``get_filename``) the sender chooses."""

HANDS_ON: Final = frozenset(
    _words(
        "str bytes bytearray format repr list tuple set dict sorted reversed next iter enumerate "
        "zip map filter min max sum json.loads json.load "
        "socket.gethostbyname socket.getaddrinfo "
        "os.path.join os.path.commonpath os.path.commonprefix os.path.abspath os.path.realpath os.path.normpath "
        "os.path.expanduser os.path.expandvars os.path.dirname os.fspath os.path.splitext os.path.split "
        "os.path.relpath pathlib.Path pathlib.PurePath pathlib.PosixPath Path base64.b64decode base64.decodebytes "
        "base64.b64encode base64.urlsafe_b64decode base64.decodestring base64.standard_b64decode "
        "bytes.fromhex binascii.unhexlify codecs.decode zlib.decompress gzip.decompress urllib.parse.unquote "
        "urllib.parse.unquote_plus urllib.unquote urllib.parse.urlparse "
        "urllib.parse.urlsplit urllib.parse.urljoin urlparse urljoin unquote urllib.parse.parse_qs "
        "urllib.parse.parse_qsl urlparse.urlparse urlparse.parse_qs cgi.parse_qs io.BytesIO io.StringIO "
        "StringIO BytesIO "
        "StringIO.StringIO string.Template textwrap.dedent sqlalchemy.text sqlalchemy.sql.text text "
        "urllib.request.Request urllib2.Request copy.copy copy.deepcopy "
        "markupsafe.Markup flask.Markup Markup django.utils.safestring.mark_safe mark_safe shlex.split "
        "re.sub json.dumps html.unescape urllib.parse.urlunparse unicode "
        "lxml.etree.XML etree.XML types.SimpleNamespace collections.OrderedDict open io.open ast.parse "
        "compile etree.fromstring xml.etree.ElementTree.fromstring xml.etree.ElementTree.parse "
        "lxml.etree.fromstring lxml.etree.parse ET.fromstring http.cookies.SimpleCookie yaml.safe_load "
        "markdown.markdown markdown markdown2.markdown mistune.html mistune.markdown commonmark.commonmark misaka.html "
        "flask.make_response make_response flask.Response Response django.http.HttpResponse HttpResponse quart.Response "
        "vars getattr openpyxl.load_workbook pandas.read_excel pandas.read_csv pandas.DataFrame "
        "ldap3.Connection zipfile.ZipFile tarfile.open zipfile.Path email.message_from_string flask.json.loads "
        "simplejson.loads ujson.loads orjson.loads httpx.URL yarl.URL furl.furl"
    )
)
MIXING_METHODS: Final = frozenset(
    _words(
        "replace join format format_map ljust rjust center append extend add insert update setdefault "
        "joinpath write substitute safe_substitute"
    )
)

SAFE_SOURCES: Final = frozenset(
    _words(
        "time.time datetime.datetime.now datetime.datetime.utcnow datetime.date.today uuid.uuid4 "
        "uuid.uuid1 secrets.token_hex secrets.token_urlsafe secrets.token_bytes os.getpid os.urandom "
        "random.randint random.random range os.getcwd os.path.exists random.uniform random.randrange "
        "time.strftime tempfile.gettempdir tempfile.mkdtemp os.cpu_count"
    )
)

HANDLER_DECORATORS: Final = frozenset(
    _words(
        "route get post put delete patch websocket api_view endpoint view view_config expose api_route "
        "action csrf_exempt require_http_methods require_GET require_POST "
        "login_required tool before_request after_request errorhandler on_message subscribe"
    )
)
HANDLER_RECEIVERS: Final = frozenset(
    _words("app api router blueprint bp application flask_app server routes web fastapi ns namespace")
)
HANDLER_METHODS: Final = frozenset(
    _words(
        "get post put delete patch head do_GET do_POST do_PUT do_DELETE dispatch on_get on_post on_put on_delete on_message handle"
    )
)
HANDLER_BASES: Final = re.compile(
    r"Handler$|View$|Resource$|APIView|ViewSet|MethodView|HTTPEndpoint|Controller$|Consumer$|Servlet"
)
OPEN_ENDED_BASES: Final = re.compile(r"ViewSet|Controller$|Consumer$|Servlet")
LAMBDA_NAMES: Final = frozenset({"lambda_handler", "application", "wsgi_app"})

USER_INPUT_NAME: Final = re.compile(
    r"^(?:user_?(?:input|data|supplied|provided|controlled|content|code|command|query|expression|expr|url|path|string|text|file)\w*|"
    r"untrusted\w*|tainted\w*|raw_?input|input_?(?:str|string|expr|expression|user|code|cmd|command|xml)|request_?(?:data|body|params)|"
    r"form_?data|query_?(?:string|params?)|posted?_?data|userinput|http_?input|client_?(?:data|input)|uploaded_?\w*|"
    r"upload_?(?:file|data|name)\w*|cookie_?(?:data|value)?|attacker\w*)$",
    re.IGNORECASE,
)

SIMPLE_TYPES: Final = words("int float bool UUID uuid.UUID date datetime Decimal PositiveInt conint UploadFile_")
