"""Signing in by an OpenID Connect provider: a real one on this machine, which issues and signs tokens."""

import sys
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from accounts.models import SecurityEvent
from config.environment import read_environment
from config.sign_in import origins, providers
from labelling.joining.account_adapter import has_claim
from tests.support.services import child, reserved_port, wait_until
from tests.support.table import row

GIVEN = {"OIDC_CLIENT_ID": "chainbox", "OIDC_CLIENT_SECRET": "a secret of theirs", "OIDC_NAME": "Example University"}
SignIn = Callable[..., Any]


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("provider") / "log"
    with reserved_port() as port:
        address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
        with child(command, log) as process:
            assert wait_until(lambda: is_up(address) or process.poll() is not None), log.read_text()
            yield address


def is_up(address: str) -> bool:
    try:
        return httpx.get(f"{address}/.well-known/openid-configuration").status_code == 200
    except httpx.HTTPError:
        return False


@pytest.fixture
def come(db: None, provider: str, settings: Any, client: Client) -> SignIn:
    """come("sub", claim=...): the page after this person signed in at the provider."""
    settings.SOCIALACCOUNT_PROVIDERS = providers(read_environment({**GIVEN, "OIDC_ISSUER": provider}))

    def sign_in(person: str, **claims: Any) -> Any:
        httpx.put(f"{provider}/users/{person}", json=claims).raise_for_status()
        asked = client.post("/account/oidc/provider/login/?process=login")
        assert "state=" in asked["Location"] and "code_challenge=" in asked["Location"]
        signed = httpx.post(asked["Location"], data={"sub": person})
        back = urlsplit(signed.headers["location"])
        return client.get(f"{back.path}?{back.query}", follow=True)

    return sign_in


@pytest.mark.slow
class TestAProvider:
    def test_the_sign_in_leads_to_it_by_its_name(self, come: SignIn, client: Client) -> None:
        assert "Sign in by Example University" in client.get("/account/login/").text

    def test_a_newcomer_gets_an_account_and_is_the_same_person_under_another_name(self, come: SignIn) -> None:
        come("7", preferred_username="ada", email="ada@example.org")
        come("7", preferred_username="countess")
        ada = User.objects.get()
        assert (ada.username, ada.email) == ("ada", "ada@example.org")
        assert not ada.has_usable_password() and not ada.is_superuser

    def test_whoever_has_the_name_of_another_is_not_the_other(self, come: SignIn) -> None:
        User.objects.create_superuser("ada")
        come("8", preferred_username="ada")
        assert not User.objects.get(socialaccount__uid="8").is_superuser and User.objects.count() == 2

    def test_only_those_whose_claims_may_come_in_do(self, come: SignIn, settings: Any, client: Client) -> None:
        settings.OIDC_ALLOW = [("groups", "annotators")]
        refused = come("7", preferred_username="ada", groups=["cooks"])
        assert refused.status_code == 403 and "may not come in here" in refused.text and not User.objects.exists()
        assert SecurityEvent.objects.filter(kind="failed sign in").count() == 1
        come("7", preferred_username="ada", groups=["cooks", "annotators"])
        assert client.session["_auth_user_id"] == str(User.objects.get().pk)

    def test_a_claim_makes_an_administrator_for_as_long_as_it_holds(self, come: SignIn, settings: Any) -> None:
        settings.OIDC_ADMINISTRATORS = [("groups", "admins")]
        for groups, rules in ((["admins"], True), ([], False), (["admins"], True)):
            come("7", preferred_username="ada", groups=groups)
            assert User.objects.get().is_superuser is rules

    def test_nobody_chooses_a_password_beside_it(self, come: SignIn, client: Client) -> None:
        come("7", preferred_username="ada")
        assert client.get("/account/password/change/", follow=True).redirect_chain[-1][0] == "/account/"
        client.post("/account/password/set/", {"password1": "engine and loom", "password2": "engine and loom"})
        assert not User.objects.get().has_usable_password()

    def test_an_answer_that_nobody_asked_for_signs_nobody_in(self, come: SignIn, client: Client) -> None:
        client.get("/account/oidc/provider/login/callback/?code=guessed&state=made-up")
        assert "_auth_user_id" not in client.session


@row({"groups": "annotators"}, "is in")
@row({"groups": ["Annotators", "cooks"]}, "is in")
@row({"groups": ["cooks"]}, "stays out")
@row({}, "stays out")
@row({"email": "ada@lab.example", "email_verified": True}, "is in")
@row({"email": "ada@lab.example"}, "stays out")
@row({"email": "ada@lab.example", "email_verified": "true"}, "stays out")
@row({"email": "ada@lab.example.evil.example", "email_verified": True}, "stays out")
def test_claims_that_are_wanted(claims: dict[str, Any], then: str) -> None:
    assert has_claim(claims, [("groups", "annotators"), ("email", "*@lab.example")]) == (then == "is in")


@row("OIDC_ISSUER", "http://login.example.org")
@row("OIDC_ALLOW", "annotators")
@row("OIDC_ADMINISTRATORS", "groups=")
def test_a_variable_that_would_let_in_others_is_refused(name: str, value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=name):
        read_environment({name: value})


def test_without_an_issuer_there_is_no_provider_and_with_one_its_origin_takes_the_form() -> None:
    assert providers(read_environment(GIVEN)) == {} and origins(read_environment(GIVEN)) == []
    given = read_environment({**GIVEN, "OIDC_ISSUER": "https://login.example.org/realms/lab/"})
    assert origins(given) == ["https://login.example.org"]
