# A client of Authlib: authenticates with private_key_jwt and prints the response of the token endpoint as JSON.
import json
import os

from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT

session = OAuth2Session(os.environ["CLIENT_ID"], os.environ["KEY"], token_endpoint_auth_method="private_key_jwt")
session.register_client_auth_method(PrivateKeyJWT(os.environ["AUDIENCE"], headers={"kid": "k1"}))
print(json.dumps(session.fetch_token(os.environ["TOKEN_URL"], grant_type="client_credentials")))
