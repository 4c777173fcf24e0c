"""Imports every admin page. Django reads this file when the server starts."""

from backoffice.campaigns import (
    alert,
    alert_channel,
    campaign_prediction,
    delivery,
    error_sample,
    evaluation,
    figures,
    gold_annotation,
    gold_image,
    import_run,
    looked,
    model_measurement,
    model_prediction,
    state_change,
)
from backoffice.data import box, caption, chain, gold, image, mention, project, selection, settings_version
from backoffice.money import ledger_entry, spending
from backoffice.people import (
    access,
    account,
    api_key,
    borrowed_pictures,
    conversation,
    invitation,
    member_invitation,
    membership,
    message,
    post,
    requester_token,
    right,
    skill_estimate,
    trust_change,
    trust_status,
    worker,
    worker_signal,
)
from backoffice.platforms import counterpart, identity, offer, payment, recruitment, screening, session
from backoffice.questions import assignment, judgment, question, record, skip
from backoffice.stock import known_question

PAGES = (
    *(
        alert,
        alert_channel,
        campaign_prediction,
        delivery,
        error_sample,
        evaluation,
        figures,
        gold_annotation,
        gold_image,
        import_run,
        looked,
        model_measurement,
        model_prediction,
        state_change,
    ),
    *(box, caption, chain, gold, image, mention, project, selection, settings_version),
    *(ledger_entry, spending),
    *(
        access,
        account,
        api_key,
        borrowed_pictures,
        conversation,
        invitation,
        member_invitation,
        membership,
        message,
        post,
        requester_token,
        right,
        skill_estimate,
        trust_change,
        trust_status,
        worker,
        worker_signal,
    ),
    *(counterpart, identity, offer, payment, recruitment, screening, session),
    *(assignment, judgment, question, record, skip),
    known_question,
)
"""Each file registers the models it is named after; `record`, `box` and `import_run` hold three models each."""
