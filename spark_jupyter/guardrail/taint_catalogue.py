"""Catalogue of taint sources, propagators and sanitisers.

The names are those of the libraries' own documentation; they are matched by qualified name where the import was seen,
else by the name as written.
"""

from __future__ import annotations

import re
from typing import Final, TypeVar

from spark_jupyter.guardrail.taint_values import EVERYTHING, STARTUP, Danger, Trust, words

Said = TypeVar("Said")


def _named(*rows: tuple[Said, str]) -> dict[str, Said]:
    """Each of the names in a row's text, with what the row says of them."""
    return {name: said for said, names in rows for name in names.split()}


REQUEST_NAMES: Final = words("request req self.request _request web_request http_request")
REQUEST_ATTRIBUTES: Final = words(
    "args form values json data files cookies headers GET POST FILES COOKIES META body query query_params path_params "
    "match_info query_string params forms url full_path referrer user_agent rel_url stream get_json get_data post "
    "text read content_type environ arguments body_arguments query_arguments raw_body base_url host path_info input_stream "
    "view_args authorization get_full_path get_raw_uri build_absolute_uri form_data file path matchdict json_body param"
)

CALL_SOURCES: Final = _named(
    (
        ("what the user types", Trust.LOCAL),
        (
            "input raw_input ipywidgets.Text ipywidgets.Textarea ipywidgets.Combobox click.prompt typer.prompt "
            "tkinter.simpledialog.askstring"
        ),
    ),
    (("standard input", Trust.LOCAL), "sys.stdin.read sys.stdin.readline sys.stdin.readlines fileinput.input"),
    (("an environment variable", Trust.ENVIRONMENT), "os.getenv os.environ.get"),
    (
        ("a request", Trust.REMOTE),
        "cgi.FieldStorage web.input web.data flask_restful.reqparse.RequestParser().parse_args",
    ),
    (("what a visitor types", Trust.REMOTE), "streamlit.text_input streamlit.text_area streamlit.chat_input"),
    (("an uploaded file", Trust.REMOTE), "streamlit.file_uploader"),
    (
        ("a message", Trust.NETWORK),
        (
            "kafka.KafkaConsumer aiokafka.AIOKafkaConsumer confluent_kafka.Consumer().poll "
            "confluent_kafka.Consumer().consume"
        ),
    ),
    (("a model's answer", Trust.NETWORK), "transformers.pipeline(text)"),
    ((STARTUP, Trust.OWN), "site.getusersitepackages site.getsitepackages IPython.paths.get_ipython_dir"),
    (("a file", Trust.FILE), "open io.open codecs.open"),
    (("an archive", Trust.FILE), "zipfile.ZipFile tarfile.open tarfile.TarFile"),
    (("the network", Trust.NETWORK), "urllib.request.urlopen urllib2.urlopen"),
)
for _read in "read readline readuntil".split():
    CALL_SOURCES[f"asyncio.open_connection()[].{_read}"] = ("the network", Trust.NETWORK)
for _client in ("requests", "httpx"):
    for _verb in "get post put patch delete head options request".split():
        CALL_SOURCES[f"{_client}.{_verb}"] = ("the network", Trust.NETWORK)

METHOD_SOURCES: Final = _named(
    (
        ("a request", Trust.REMOTE),
        "get_argument get_arguments get_query_argument get_query_arguments get_body_argument get_body_arguments",
    ),
    (("a cookie", Trust.REMOTE), "get_cookie"),
    # of a column or the side bar
    (("what a visitor types", Trust.REMOTE), "text_input text_area chat_input"),
    (("an uploaded file", Trust.REMOTE), "file_uploader"),
    (("a message", Trust.REMOTE), "receive_text receive_json receive_bytes iter_text iter_json"),
    (("a message", Trust.NETWORK), "receive_message receive_messages"),
    (("the network", Trust.NETWORK), "recv recvfrom recv_string readexactly"),
    (("a model's answer", Trust.NETWORK), "generate_content"),
    (("the command line", Trust.LOCAL), "parse_args parse_known_args"),
)
NAME_SOURCES: Final = _named(
    ((STARTUP, Trust.OWN), "get_ipython().profile_dir.startup_dir"),
    (("the address", Trust.REMOTE), "streamlit.query_params"),
    (("the command line", Trust.LOCAL), "sys.argv"),
    (("standard input", Trust.LOCAL), "sys.stdin"),
    (("the whole environment", Trust.ENVIRONMENT), "os.environ"),
    (("an environment variable", Trust.ENVIRONMENT), "os.environb"),
    (("a request", Trust.REMOTE), "self.rfile self.headers self.path"),
)

_H, _S, _P, _L = Danger.HTML, Danger.SHELL, Danger.PATH, Danger.LDAP
_LINE = Danger.LOG | Danger.HEADER
_WEB = Danger.URL | Danger.REDIRECT

SANITISERS: Final[dict[str, int]] = _named(
    (
        EVERYTHING,
        (
            "int float bool len complex ord hash round abs uuid.UUID bson.ObjectId bson.objectid.ObjectId "
            "datetime.datetime.strptime decimal.Decimal datetime.date.fromisoformat isinstance type id hasattr callable "
            "datetime.datetime.fromisoformat werkzeug.security.generate_password_hash bcrypt.hashpw "
            "django.contrib.auth.hashers.make_password"
        ),
    ),
    # an address of the own network is an address, too
    (EVERYTHING & ~int(Danger.URL), "ipaddress.ip_address ipaddress.IPv4Address ipaddress.IPv6Address"),
    (_S, "shlex.quote shlex.join pipes.quote subprocess.list2cmdline"),
    (
        _H | Danger.XML,
        (
            "html.escape markupsafe.escape flask.escape cgi.escape bleach.clean bleach.linkify jinja2.escape nh3.clean "
            "escape conditional_escape format_html django.utils.html.escape django.utils.html.conditional_escape "
            "django.utils.html.format_html django.utils.html.strip_tags xml.sax.saxutils.escape werkzeug.utils.escape "
            "tornado.escape.xhtml_escape django.utils.html.escapejs xml.sax.saxutils.quoteattr flask.jsonify "
            "flask.json.dumps"
        ),
    ),
    (
        _P | Danger.UPLOAD,
        (
            "os.path.basename ntpath.basename posixpath.basename django.utils.text.get_valid_filename get_valid_filename "
            "pathvalidate.sanitize_filename"
        ),
    ),
    (_P | _LINE | _S, "werkzeug.utils.secure_filename secure_filename werkzeug.secure_filename"),
    (_P, "werkzeug.utils.safe_join flask.safe_join werkzeug.security.safe_join safe_join django.utils._os.safe_join"),
    (
        _WEB | _H | _LINE | _S,
        "urllib.parse.quote urllib.parse.quote_plus urllib.parse.urlencode urllib.quote urllib.urlencode",
    ),
    (_WEB | _H | _LINE, "urllib.quote_plus werkzeug.urls.url_quote django.utils.http.urlencode flask.url_for url_for"),
    (_WEB, "django.urls.reverse reverse django.shortcuts.resolve_url"),
    (Danger.REGEX, "re.escape"),
    (
        _L,
        (
            "ldap3.utils.conv.escape_filter_chars ldap.filter.escape_filter_chars ldap.dn.escape_dn_chars "
            "ldap3.utils.dn.escape_rdn escape_filter_chars escape_dn_chars escape_rdn ldap.filter.filter_format"
        ),
    ),
    (_LINE, "repr ascii json.dumps"),
    (Danger.CODE, "ast.literal_eval"),
    (
        Danger.SQL,
        (
            "quote_ident psycopg2.extensions.quote_ident psycopg2.sql.Identifier sql.Identifier psycopg2.sql.Literal "
            "psycopg.sql.Identifier psycopg.sql.Literal psycopg2.sql.SQL psycopg.sql.SQL "
            "pymysql.converters.escape_string sqlalchemy.sql.expression.quoted_name"
        ),
    ),
    (Danger.XML, "defusedxml.ElementTree.fromstring defusedxml.ElementTree.parse"),
)

METHOD_SANITISERS: Final[dict[str, int]] = _named(
    (
        EVERYTHING,
        (
            "hexdigest digest isdigit isalnum isalpha isnumeric isidentifier startswith endswith count find index "
            "filter_by scalar_one_or_none isoformat total_seconds"
        ),
    ),
    (Danger.SQL, "quote_name quote_identifier escape_string escape_literal mogrify"),
)

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

MAIL: Final = "email imaplib poplib mailbox imapclient imap_tools aiosmtpd exchangelib".split()
"""Libraries with messages whose attachment names (``get_filename``) the sender chooses."""

HANDS_ON: Final = words(
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
MIXING_METHODS: Final = words(
    "replace join format format_map ljust rjust center append extend add insert update setdefault "
    "joinpath write substitute safe_substitute"
)

SAFE_SOURCES: Final = words(
    "time.time datetime.datetime.now datetime.datetime.utcnow datetime.date.today uuid.uuid4 "
    "uuid.uuid1 secrets.token_hex secrets.token_urlsafe secrets.token_bytes os.getpid os.urandom "
    "random.randint random.random range os.getcwd os.path.exists random.uniform random.randrange "
    "time.strftime tempfile.gettempdir tempfile.mkdtemp os.cpu_count"
)

HANDLER_DECORATORS: Final = words(
    "route get post put delete patch websocket api_view endpoint view view_config expose api_route "
    "action csrf_exempt require_http_methods require_GET require_POST "
    "login_required tool before_request after_request errorhandler on_message subscribe"
)
HANDLER_RECEIVERS: Final = words(
    "app api router blueprint bp application flask_app server routes web fastapi ns namespace"
)
HANDLER_METHODS: Final = words(
    "get post put delete patch head do_GET do_POST do_PUT do_DELETE dispatch on_get on_post on_put on_delete on_message handle"
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
