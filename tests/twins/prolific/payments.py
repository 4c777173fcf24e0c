"""The researcher's money: what is left of it, and bonus lists, which are set up and then paid in a second call."""

from tests.twins.prolific.account import (
    PAID,
    RESERVED,
    Account,
    BonusList,
    Charge,
    Study,
    Submission,
    found,
    minor_units,
    new_id,
)
from tests.twins.prolific.studies import available
from tests.twins.prolific.wire import Json, Refusal, Reply, Request


def balance(account: Account, request: Request, key: str) -> Reply:
    found({account.workspace: account}, key, "workspace")
    money = {"total_balance": account.wallet.balance, "available_balance": available(account)}
    return Reply(200, {"currency_code": account.wallet.currency} | money)


def cost(account: Account, request: Request, key: str) -> Reply:
    """The charges for a study so far: for the rewards of approved submissions, and for bonuses."""
    rows = account.of_study(found(account.studies, key, "study"))
    rewards = [account.wallet.charge(one.reward_paid) for one in rows if one.status in PAID]
    bonuses = [account.wallet.charge(cents) for one in rows for cents in one.bonuses]
    return Reply(200, {"rewards": _breakdown(account, rewards), "bonuses": _breakdown(account, bonuses)})


def _breakdown(account: Account, charges: list[Charge]) -> Json:
    whole = _sum(charges)
    amounts = {"rewards": whole.amount, "fees": whole.fees, "tax": whole.vat}
    return {name: {"amount": cents, "currency": account.wallet.currency} for name, cents in amounts.items()}


def recommend_rewards(account: Account, request: Request) -> Reply:
    """The newest recommendation comes first."""
    if (currency := request.query["currency"]) != account.wallet.currency:
        raise Refusal({"currency": ["Another currency than that of the workspace."]})
    return Reply(
        200,
        [
            {"currency": currency, "min_reward_per_hour": least, "recommended_reward_per_hour": good}
            for least, good in account.recommended
        ],
    )


def set_up_bonuses(account: Account, request: Request) -> Reply:
    """The list is kept, and nothing is paid yet. Each line: a participant or a submission, a comma, an amount."""
    key, text = request.need("study_id", "csv_bonuses")
    study = found(account.studies, key, "study")
    lines = [_line(account, study, line) for line in text.splitlines() if line.strip()]
    made = BonusList(new_id(), study, lines)
    account.bonus_lists[made.id] = made
    charge = _charge(account, made)
    amounts = {"amount": charge.amount, "fees": charge.fees, "vat": charge.vat, "total_amount": charge.total}
    return Reply(201, {"id": made.id, "study": study.id} | amounts)


def pay_bonuses(account: Account, request: Request, key: str) -> Reply:
    """Pay every line of the list: a list that is paid twice pays twice, as the documentation warns."""
    row = found(account.bonus_lists, key, "bulk bonus payment")
    if _charge(account, row).total > available(account):
        raise Refusal("The balance is too low for these bonuses.")
    for submission, amount in row.lines:
        account.wallet.pay(amount)
        submission.bonuses.append(amount)
    return Reply(202, "The bonuses will be paid in the following minutes.")


def _line(account: Account, study: Study, line: str) -> tuple[Submission, int]:
    who, _, amount = line.partition(",")
    for one in account.of_study(study):
        if who.strip() in (one.id, one.participant) and one.status != RESERVED:
            try:
                return one, minor_units(amount)
            except ValueError as error:
                raise Refusal({"csv_bonuses": [str(error)]}) from error
    raise Refusal({"csv_bonuses": [f"{who.strip()} has not taken part in this study."]})


def _charge(account: Account, row: BonusList) -> Charge:
    return _sum([account.wallet.charge(amount) for _, amount in row.lines])


def _sum(charges: list[Charge]) -> Charge:
    return Charge(sum(one.amount for one in charges), sum(one.fees for one in charges), sum(one.vat for one in charges))
