"""Functions that Python no longer has.

They were removed because something safer or clearer took their place (CWE-477).

Source of the names: "Removed" in What's New in Python 3.0 to 3.13, and the removals that the module's page tells.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule
from spark_jupyter.guardrail.taint_state import State

_INSTEAD: Final = {
    "time.clock": "time.perf_counter() or time.process_time()",
    "os.popen2": "subprocess.run([...])",
    "os.popen3": "subprocess.run([...])",
    "os.popen4": "subprocess.run([...])",
    "commands.getoutput": "subprocess.run([...])",
    "commands.getstatusoutput": "subprocess.run([...])",
    "os.getcwdu": "os.getcwd()",
    "cgi.escape": "html.escape()",
    "base64.encodestring": "base64.b64encode()",
    "base64.decodestring": "base64.b64decode()",
    "platform.linux_distribution": "the package distro",
    "platform.dist": "the package distro",
    "inspect.getargspec": "inspect.signature()",
    "inspect.formatargspec": "inspect.signature()",
    "fractions.gcd": "math.gcd()",
    "thread.start_new_thread": "threading.Thread(...)",
    "asyncio.coroutine": "async def",
    "string.maketrans": "str.maketrans()",
    "itertools.izip": "zip()",
    "itertools.imap": "map()",
    "imp.load_source": "importlib.util.spec_from_file_location()",
    "imp.find_module": "importlib.util.find_spec()",
    "imp.reload": "importlib.reload()",
}


def _check(call: Call, state: State) -> Hit | None:
    return Hit(call.node, message=f"{call.name}() is no longer in Python.", remedy=f"Use {_INSTEAD[call.name]}.")


RULE: Final = Rule(
    id="obsolete-function",
    cwe=477,
    severity="warn",
    message="This function is no longer in Python.",
    remedy="Use its replacement.",
    bad=("import time\nstart = time.clock()", "import cgi\ncgi.escape(text)"),
    good=("import time\nstart = time.perf_counter()", "import html\nhtml.escape(text)"),
    calls=dict.fromkeys(_INSTEAD, _check),
)
