# A Flask application on http://localhost:4000 that signs people in through Signet with Authlib.

import os
import secrets

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

app = Flask(__name__)
# Signs the session cookie: keep it to let sessions outlive this process.
app.secret_key = secrets.token_bytes(32)

issuer = os.environ.get("SIGNET_ISSUER", "http://localhost:8080")
signet = OAuth(app).register(
    "signet",
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


@app.get("/")
def home():
    return session.get("user") or '<a href="/login">Sign in</a>'


@app.get("/login")
def login():
    return signet.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    token = signet.authorize_access_token()
    session["user"] = dict(signet.userinfo(token=token))
    return redirect("/")
