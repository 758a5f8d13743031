"""A SAML provider of pysaml2. Reads one JSON object a line, and writes the response to each as a line."""
import base64
import datetime
import json
import os
import sys
import time
import types
from urllib.parse import parse_qs, urlparse

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, time_util
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server
from saml2.sigver import verify_redirect_signature
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

FOLDER = os.environ["FOLDER"]
SSO_URL = "https://idp.example/sso"
SLO_URL = "https://idp.example/slo"


def configuration(metadata):
    key, certificate = f"{FOLDER}/idp.key", f"{FOLDER}/idp.crt"
    return IdPConfig().load(
        {
            "entityid": "urn:pysaml2:idp",
            "service": {
                "idp": {
                    "endpoints": {
                        "single_sign_on_service": [(SSO_URL, BINDING_HTTP_REDIRECT)],
                        "single_logout_service": [(SLO_URL, BINDING_HTTP_REDIRECT)],
                    },
                    "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None}},
                }
            },
            "metadata": {"local": metadata},
            "key_file": key,
            "cert_file": certificate,
            "encryption_keypairs": [{"key_file": key, "cert_file": certificate}],
        }
    )


def shift_clock(seconds):
    """The clock of pysaml2 alone."""

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.datetime.now(tz) + datetime.timedelta(seconds=seconds)

        @classmethod
        def utcnow(cls):
            return datetime.datetime.utcnow() + datetime.timedelta(seconds=seconds)

    def gmtime(stamp=None):
        return time.gmtime(time.time() + seconds if stamp is None else stamp)

    time_util.datetime = Clock
    time_util.time = types.SimpleNamespace(**{**vars(time), "gmtime": gmtime})


def answer(server, location, subject, mode):
    parameters = parse_qs(urlparse(location).query)
    request = server.parse_authn_request(parameters["SAMLRequest"][0], BINDING_HTTP_REDIRECT).message
    values = server.response_args(request, [BINDING_HTTP_POST])
    if mode == "audience":
        values["sp_entity_id"] = f"urn:other:{values['sp_entity_id']}"
    offset = {"slow": -3600, "early": 3600, "near": 30}.get(mode, 0)
    shift_clock(offset)
    now = int(time.time()) + offset
    if mode == "encrypted":
        with open(f"{FOLDER}/idp.crt") as file:
            values["encrypt_cert_assertion"] = file.read()
        values["encrypt_assertion"] = True
    response = server.create_authn_response(
        {"givenName": ["Ann"], "sn": ["Partner"], "mail": ["ann@partner.example"]},
        name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=subject),
        authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_instant": now},
        sign_response=mode != "assertion",
        sign_assertion=True,
        sign_alg=SIG_RSA_SHA256,
        digest_alg=DIGEST_SHA256,
        **{name: value for name, value in values.items() if name != "name_id_policy" and name != "binding"},
    )
    return {
        "SAMLResponse": base64.b64encode(str(response).encode()).decode(),
        "RelayState": parameters["RelayState"][0],
    }


def signed_location(server, message, destination, relay_state, **more):
    """The address of a signed message by redirect."""
    sent = server.apply_binding(
        BINDING_HTTP_REDIRECT, str(message), destination, relay_state, sign=True, sigalg=SIG_RSA_SHA256, **more
    )
    return dict(sent["headers"])["Location"]


def begin_logout(server, destination, subject):
    name_id = NameID(format=NAMEID_FORMAT_PERSISTENT, text=subject)
    _, request = server.create_logout_request(destination, None, name_id=name_id, sign=False)
    return {"location": signed_location(server, request, destination, "theirs")}


def read_logout(server, location):
    """Verifies the signature of a request or a response, which pysaml2 leaves to its caller. A request is answered."""
    query = {name: values[0] for name, values in parse_qs(urlparse(location).query).items()}
    certificates = server.metadata.certs("urn:signet:sp", "any", "signing")
    if not any(verify_redirect_signature(query, server.sec.sec_backend, one) for _, one in certificates):
        return {"error": "signature"}
    if "SAMLResponse" in query:
        response = server.parse_logout_request_response(query["SAMLResponse"], BINDING_HTTP_REDIRECT)
        return {"status": response.response.status.status_code.value}
    request = server.parse_logout_request(query["SAMLRequest"], BINDING_HTTP_REDIRECT).message
    response = server.create_logout_response(request, [BINDING_HTTP_REDIRECT])
    destination = server.response_args(request, [BINDING_HTTP_REDIRECT])["destination"]
    back = signed_location(server, response, destination, query["RelayState"], response=True)
    return {"location": back, "subject": request.name_id.text}


def respond(server, call):
    if "logout" in call:
        return begin_logout(server, call["logout"], call["subject"])
    if "read" in call:
        return read_logout(server, call["read"])
    return answer(server, call["location"], call["subject"], call["mode"])


if sys.argv[1] == "metadata":
    print(entity_descriptor(configuration([])))
else:
    # Another service provider at the same address, for a response with its audience.
    with open(f"{FOLDER}/signet.xml") as own, open(f"{FOLDER}/other.xml", "w") as other:
        other.write(own.read().replace('entityID="', 'entityID="urn:other:'))
    idp = Server(config=configuration([f"{FOLDER}/signet.xml", f"{FOLDER}/other.xml"]))
    for line in sys.stdin:
        call = json.loads(line)
        print(json.dumps(respond(idp, call)), flush=True)
