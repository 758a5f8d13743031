# A Django application on http://localhost:4000 that signs people in through Signet with Authlib. One file, so that it
# can be read at once: in a project of yours, the settings are in settings.py and the views in views.py.

import json
import os
import secrets
import sys

from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.html import escape

issuer = os.environ.get("SIGNET_ISSUER", "http://localhost:8080")
origin = f"http://localhost:{os.environ.get('PORT', '4000')}"

settings.configure(
    DEBUG=True,
    # Keep the key: it signs the session cookie.
    SECRET_KEY=os.environ.get("SECRET_KEY") or secrets.token_hex(32),
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware"],
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
)

oauth = OAuth()
oauth.register(
    name="signet",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


def home(request):
    user = request.session.get("user")
    if user is None:
        return HttpResponse(f'<a href="{reverse("sign-in")}">Sign in</a>')
    claims = escape(json.dumps(user, indent=2))
    return HttpResponse(f'<pre>{claims}</pre><a href="{reverse("sign-out")}">Sign out</a>')


def sign_in(request):
    return oauth.signet.authorize_redirect(request, f"{origin}/callback")


def callback(request):
    token = oauth.signet.authorize_access_token(request)
    request.session["user"] = dict(oauth.signet.userinfo(token=token))
    return HttpResponseRedirect(reverse("home"))


def sign_out(request):
    request.session.flush()
    return HttpResponseRedirect(reverse("home"))


urlpatterns = [
    path("", home, name="home"),
    path("sign-in", sign_in, name="sign-in"),
    path("callback", callback, name="callback"),
    path("sign-out", sign_out, name="sign-out"),
]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
