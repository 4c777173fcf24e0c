"""The signature of a study's address, and the keys that check it."""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from tests.twins.prolific.account import Account, Submission, new_id
from tests.twins.prolific.wire import Json, Reply, Request

SECONDS = 120
"""Time that a signature lasts."""


def rotate_key(account: Account) -> None:
    """Sign with a new key from now on, and no longer show the old one."""
    account.signing_keys = {new_id(): rsa.generate_private_key(public_exponent=65_537, key_size=2048)}


def signed(account: Account, submission: Submission, address: str) -> str:
    """Add the parameter `prolific_token` to an address."""
    now = int(account.clock.now().timestamp())
    query = dict(parse_qsl(urlsplit(address).query)) | {"workspace_id": account.workspace}
    times = {"iat": now, "exp": now + SECONDS}
    who = {"iss": "https://www.prolific.com", "aud": address, "sub": submission.id, "prolific": query}
    return f"{address}&{urlencode({'prolific_token': token_of(account, who | times)})}"


def token_of(account: Account, claims: Json) -> str:
    if not account.signing_keys:
        rotate_key(account)
    ((kid, key),) = account.signing_keys.items()
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": kid})


def show_keys(account: Account, request: Request) -> Reply:
    return Reply(200, {"keys": [_shown(kid, key) for kid, key in account.signing_keys.items()]})


def _shown(kid: str, key: Any) -> Json:
    public = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return public | {"kid": kid, "alg": "RS256", "use": "sig", "key_ops": ["verify"]}
