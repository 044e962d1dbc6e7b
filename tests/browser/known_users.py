"""Identity provider of a test's server, which believes what people say."""

from __future__ import annotations

from jupyter_server.auth.identity import IdentityProvider, User
from tornado.web import RequestHandler


class KnownUsers(IdentityProvider):
    """Who comes with the token is who the address says (``as=ada``), until the browser forgets it."""

    def generate_anonymous_user(self, handler: RequestHandler) -> User:
        """The user whom the address names."""
        name = handler.get_argument("as", "")
        return User(name, name.title()) if name else super().generate_anonymous_user(handler)
