"""The owner of the token, and what is left of the money."""

from tests.twins.prolific.account import Account, found
from tests.twins.prolific.studies import available
from tests.twins.prolific.wire import Reply, Request


def me(account: Account, request: Request) -> Reply:
    money = {"balance": account.wallet.balance, "available_balance": available(account)}
    who = {"id": account.user, "email": "researcher@example.org", "currency_code": account.wallet.currency}
    return Reply(200, who | money)


def balance(account: Account, request: Request, key: str) -> Reply:
    found({account.workspace: account}, key, "workspace")
    money = {"total_balance": account.wallet.balance, "available_balance": available(account)}
    return Reply(200, {"currency_code": account.wallet.currency} | money)
