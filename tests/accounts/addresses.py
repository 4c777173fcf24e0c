"""Every address of the service: the least who gets in by GET and by POST."""

from tests.support.everybody import ADMIN, ALL, LOOK, MAKER, MANAGE, NOBODY, RECORD, SIGNED_IN, STAFF

# Who gets in by GET and by POST. A dash: the address does not take the method.
EVERY_ADDRESS: dict[str, tuple[str, str]] = {
    "": (SIGNED_IN, "-"),
    "projects/<slug:name>/": (LOOK, "-"),
    "account/demo/": ("-", NOBODY),  # this is no demo
    "projects/new/": (MAKER, MAKER),
    "projects/new/survey/": (MAKER, MAKER),
    "projects/<slug:name>/items/": (NOBODY, NOBODY),  # only a survey has such pages
    **{f"projects/<slug:name>/results/{one}": (NOBODY, "-") for one in ("", "<slug:chart>.csv", "votes.jsonl")},
    "projects/<slug:name>/state/": ("-", MANAGE),
    "projects/<slug:name>/settings/": (MANAGE, MANAGE),
    "projects/<slug:name>/settings/learned/": (MANAGE, "-"),
    "projects/<slug:name>/delete/": (MANAGE, MANAGE),
    "projects/<slug:name>/copy/": ("qD", "qD"),  # who manages it and may make projects
    "projects/<slug:name>/data/": (MANAGE, "-"),
    "projects/<slug:name>/data/upload/remove/": ("-", MANAGE),
    "projects/<slug:name>/data/captions/": ("-", MANAGE),
    "projects/<slug:name>/data/card/": ("-", MANAGE),
    "projects/<slug:name>/data/import/": ("-", MANAGE),
    "projects/<slug:name>/runs/<int:run>/": ("-", MANAGE),
    "projects/<slug:name>/data/runs/<int:run_id>/left-out.csv": (MANAGE, "-"),
    "projects/<slug:name>/data/corrected/": (MANAGE, MANAGE),
    "projects/<slug:name>/data/corrected/<int:run_id>.zip": (NOBODY, "-"),  # until the set is made
    "projects/<slug:name>/data/preview/": (MANAGE, "-"),
    "projects/<slug:name>/data/preview/types/": ("-", MANAGE),
    "projects/<slug:name>/dashboard/": (MANAGE, "-"),
    "projects/<slug:name>/dashboard/words/": (MANAGE, MANAGE),
    "projects/<slug:name>/dashboard/<slug:chart>.csv": (MANAGE, "-"),
    "projects/<slug:name>/models/": (MANAGE, MANAGE),
    "projects/<slug:name>/models/judge/": ("-", MANAGE),
    "projects/<slug:name>/models/measure/": ("-", MANAGE),
    "projects/<slug:name>/evaluate/": (MANAGE, MANAGE),
    "projects/<slug:name>/evaluate/<int:evaluation_id>/": (NOBODY, "-"),  # no report is complete yet
    "projects/<slug:name>/evaluate/<int:evaluation_id>/phrases/": (NOBODY, "-"),
    "projects/<slug:name>/evaluate/<int:evaluation_id>/archive/": (NOBODY, "-"),
    "projects/<slug:name>/evaluate/<int:evaluation_id>/delete/": ("-", MANAGE),
    "projects/<slug:name>/evaluate/<int:evaluation_id>/files/<str:file>": (NOBODY, "-"),
    "projects/<slug:name>/predict/": (MANAGE, MANAGE),
    "projects/<slug:name>/predict/<slug:chart>.csv": (NOBODY, "-"),  # nothing was predicted yet
    "projects/<slug:name>/dry-run/": ("-", MANAGE),
    "projects/<slug:name>/dry-run/delete/": ("-", MANAGE),
    "projects/<slug:name>/alerts/": (MANAGE, MANAGE),
    "projects/<slug:name>/alerts/channels/<int:channel>/": ("-", MANAGE),
    "projects/<slug:name>/alerts/deliveries/<int:delivery>/": ("-", MANAGE),
    "projects/<slug:name>/review/": (RECORD, "-"),
    "projects/<slug:name>/review/sample/": (RECORD, RECORD),
    "projects/<slug:name>/review/sample/<int:sample_id>/": (RECORD, "-"),
    "projects/<slug:name>/review/sample/<int:sample_id>/csv/": (RECORD, "-"),
    "projects/<slug:name>/review/sample/<int:sample_id>/<int:place>/": (RECORD, RECORD),
    "projects/<slug:name>/review/<int:image_id>/": (RECORD, "-"),
    "projects/<slug:name>/review/<int:image_id>/send/": ("-", RECORD),
    "projects/<slug:name>/check/changes/": (NOBODY, "-"),  # nothing is checked
    "projects/<slug:name>/check/changes.jsonl": (NOBODY, "-"),
    "projects/<slug:name>/check/": (NOBODY, "-"),  # nothing is checked
    "projects/<slug:name>/check/wrong/": (NOBODY, "-"),  # nothing is checked
    "projects/<slug:name>/gold/": (RECORD, MANAGE),
    "projects/<slug:name>/gold/imported/": ("-", MANAGE),
    "projects/<slug:name>/gold/questions/": (MANAGE, MANAGE),
    "projects/<slug:name>/gold/questions/<int:question_id>/": (MANAGE, MANAGE),
    "projects/<slug:name>/gold/suggestions/": (MANAGE, MANAGE),
    "projects/<slug:name>/gold/<int:image_id>/": (RECORD, "-"),
    "projects/<slug:name>/gold/<int:image>/remove/": ("-", MANAGE),
    "projects/<slug:name>/explore/": (LOOK, "-"),
    "projects/<slug:name>/export/": (LOOK, LOOK),
    "projects/<slug:name>/explore/export/": ("-", NOBODY),  # not without a format
    "projects/<slug:name>/members/": (MANAGE, MANAGE),
    "projects/<slug:name>/members/<int:member>/": ("-", MANAGE),
    "projects/<slug:name>/members/invitations/<int:invitation>/": ("-", MANAGE),
    "projects/<slug:name>/recruit/": (MANAGE, "-"),
    "projects/<slug:name>/recruit/<slug:platform>/offer/": (MANAGE, MANAGE),
    "projects/<slug:name>/recruit/<slug:platform>/read/": ("-", MANAGE),
    "projects/<slug:name>/recruit/<slug:platform>/pay/": (MANAGE, MANAGE),
    "projects/<slug:name>/recruit/<slug:platform>/compare/": (MANAGE, "-"),
    "projects/<slug:name>/recruit/<slug:platform>/stop/": (MANAGE, MANAGE),
    "projects/<slug:name>/recruit/<slug:platform>/sessions/": (MANAGE, MANAGE),
    "projects/<slug:name>/recruit/<slug:platform>/payments/": (MANAGE, MANAGE),
    "projects/<slug:name>/workers/": (MANAGE, "-"),
    "projects/<slug:name>/workers/money/": (MANAGE, "-"),
    "projects/<slug:name>/workers/message/": ("-", MANAGE),
    "projects/<slug:name>/workers/invite/": (MANAGE, MANAGE),
    "projects/<slug:name>/workers/invite/<int:invitation>/close/": ("-", MANAGE),
    "projects/<slug:name>/workers/<int:worker>/": (MANAGE, "-"),
    "projects/<slug:name>/workers/<int:worker>/trust/": ("-", MANAGE),
    "projects/<slug:name>/workers/<int:worker>/access/": ("-", MANAGE),
    "projects/<slug:name>/workers/<int:worker>/pay/": ("-", MANAGE),
    "projects/<slug:name>/workers/<int:worker>/bonus/": ("-", MANAGE),
    "projects/<slug:name>/workers/<int:worker>/assignments/": (MANAGE, MANAGE),
    "projects/<slug:name>/workers/<int:worker_id>/reconsider/": (MANAGE, MANAGE),
    "projects/<slug:name>/workers/<int:worker>/message/": ("-", MANAGE),
    "projects/<slug:name>/workers/<int:worker>/dismiss/<int:signal>/": ("-", MANAGE),
    "projects/<slug:name>/export/<str:export_format>/": (RECORD, "-"),  # of JSON Lines
    "projects/<slug:name>/export/<str:export_format>/<slug:state>/": (LOOK, "-"),  # of COCO
    "projects/<slug:name>/images/<int:image_id>/": (LOOK, "-"),
    "pictures/<int:image_id>/<str:size>/": (LOOK, "-"),
    # The API and the pages for workers: only who has access as a worker, whatever the role.
    "api/schema/": (ALL, "-"),
    "api/v1/projects/<slug:project>/tasks/": ("W", "-"),
    "api/v1/projects/<slug:project>/examples/": ("W", "-"),
    "api/v1/projects/<slug:project>/assignments/": ("-", "W"),
    "api/v1/session/finish/": ("-", NOBODY),  # the worker came without a session
    "api/v1/assignments/<uuid:token>/": ("W", "-"),
    "api/v1/assignments/<uuid:token>/heartbeat/": ("-", "W"),
    "api/v1/assignments/<uuid:token>/draft/": ("-", NOBODY),  # by PUT only
    "api/v1/assignments/<uuid:token>/submit/": ("-", "W"),
    "api/v1/assignments/<uuid:token>/return/": ("-", "W"),
    "api/v1/assignments/<uuid:token>/reports/": ("-", "W"),
    "api/v1/projects/<slug:project>/messages/": ("W", "W"),
    "api/v1/conversations/<int:conversation>/read/": ("-", "W"),
    "api/v1/preferences/": ("W", "-"),
    "account/rights/": (ADMIN, ADMIN),
    "account/membership/<str:code>/": (ALL, ALL),  # it is to an address
    "account/tokens/": ("OQBD", "OQBD"),
    "account/tokens/api/": ("OQBD", "-"),
    "account/tokens/<int:token_id>/revoke/": ("-", SIGNED_IN),  # which says that there is no such token
    "api/v1/requester/projects/": (SIGNED_IN, MAKER),
    "api/v1/requester/projects/<slug:project>/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/state/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/settings/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/data-card/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/gold/": (RECORD, RECORD),
    "api/v1/requester/projects/<slug:project>/judgments/": (RECORD, "-"),
    "api/v1/requester/projects/<slug:project>/votes/": (NOBODY, "-"),  # of a survey alone
    "api/v1/requester/projects/<slug:project>/changes/": (NOBODY, "-"),  # nothing is checked
    "api/v1/requester/projects/<slug:project>/ledger/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/files/": (MANAGE, MANAGE),
    "api/v1/requester/projects/<slug:project>/imports/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/phrase-types/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/copies/": ("-", "qD"),  # who manages it and may make projects
    "api/v1/requester/projects/<slug:project>/dry-runs/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/dry-run/": ("-", "-"),  # by DELETE
    "api/v1/requester/projects/<slug:project>/items/": ("-", NOBODY),
    "api/v1/requester/projects/<slug:project>/corrected/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/evaluations/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/runs/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/runs/<int:run>/": (MANAGE, MANAGE),
    "api/v1/requester/projects/<slug:project>/runs/<int:run>/left-out/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/phrases/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/phrases/<int:image>/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/phrases/undo/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/doubts/": (NOBODY, "-"),  # nothing is checked
    "api/v1/requester/projects/<slug:project>/wrong-labels/": (NOBODY, "-"),
    "api/v1/requester/projects/<slug:project>/predictions/": (MANAGE, MANAGE),
    "api/v1/requester/projects/<slug:project>/model-annotators/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/model-annotators/price/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/model-annotators/family/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/measurements/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/forecasts/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/alert-channels/": (MANAGE, MANAGE),
    "api/v1/requester/projects/<slug:project>/alert-channels/mail/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/alert-channels/<int:channel>/": ("-", "-"),  # by PATCH and DELETE
    "api/v1/requester/projects/<slug:project>/alert-channels/<int:channel>/test/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/deliveries/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/deliveries/<int:delivery>/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/workers/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/workers/messages/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/workers/<int:worker>/trust/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/workers/<int:worker>/access/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/workers/<int:worker>/payments/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/workers/<int:worker>/bonuses/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/workers/<int:worker>/messages/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/workers/<int:worker>/signals/<int:signal>/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/assignments/<int:assignment>/leave-out/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/assignments/<int:assignment>/refuse-pay/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/assignments/<int:assignment>/restore-pay/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/gold/stock/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/gold/imported/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/gold/suggestions/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/gold/questions/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/gold/questions/<int:question>/": ("-", "-"),
    "api/v1/requester/projects/<slug:project>/recruiting/<str:platform>/": (MANAGE, MANAGE),
    "api/v1/requester/projects/<slug:project>/recruiting/<str:platform>/cost/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/recruiting/<str:platform>/trial/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/recruiting/<str:platform>/read/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/recruiting/<str:platform>/due/": (MANAGE, MANAGE),
    "api/v1/requester/projects/<slug:project>/recruiting/<str:platform>/ledger/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/sessions/<int:session>/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/payments/<int:payment>/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/gold/sample/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/gold/sample/<int:image>/": (RECORD, RECORD),
    "api/v1/requester/projects/<slug:project>/review/<int:image>/": (RECORD, RECORD),
    "api/v1/requester/projects/<slug:project>/review/<int:image>/preview/": ("-", RECORD),
    "api/v1/requester/projects/<slug:project>/dashboard/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/results/": (NOBODY, "-"),  # of a survey alone
    "api/v1/requester/projects/<slug:project>/phrase-types/sample/": (MANAGE, "-"),
    "api/v1/requester/projects/<slug:project>/phrase-types/words/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/invitations/": ("-", MANAGE),
    "api/v1/requester/projects/<slug:project>/invitations/<int:invitation>/": ("-", "-"),  # by DELETE
    "api/v1/requester/projects/<slug:project>/members/": (MANAGE, MANAGE),
    "api/v1/requester/projects/<slug:project>/members/<int:member>/": ("-", "-"),  # by PATCH and DELETE
    "api/v1/requester/projects/<slug:project>/members/invitations/<int:invitation>/": ("-", "-"),  # by DELETE
    "api/v1/requester/projects/<slug:project>/exports/": ("-", LOOK),
    "api/v1/requester/projects/<slug:project>/exports/<str:export_format>/<str:record>/": (NOBODY, "-"),  # none made
    "api/v1/requester/projects/<slug:project>/exports/<str:export_format>/<slug:record>/file/": (NOBODY, "-"),
    "api/v1/requester/projects/<slug:project>/messages/": (MANAGE, "-"),
    "work/": ("W", "-"),
    "work/language/": ("-", ALL),
    "work/my-data/": ("W", "-"),
    "work/my-data/file/": ("W", "-"),
    "work/my-data/delete/": ("W", "W"),
    "work/my-data/platform/": ("-", NOBODY),  # not without the token of a session
    "work/messages/<int:message_id>/read/": ("-", "W"),
    "work/conversations/<int:conversation_id>/read/": ("-", "W"),
    "work/pictures/<str:size>/<int:until>/<str:signature>/<path:name>": (NOBODY, "-"),  # not without a signature
    "work/<slug:name>/": ("W", "-"),
    "work/<slug:name>/earned/": ("W", "-"),
    "work/<slug:name>/messages/": ("W", "W"),
    "work/<slug:name>/all/": ("W", "-"),
    "work/<slug:name>/try/": ("-", MANAGE),  # TRY_AS_WORKER is off
    "work/<slug:name>/<str:task>/appeal/": ("-", "W"),
    "work/<slug:name>/<str:task>/": ("W", "-"),
    "platforms/mturk/<slug:key>/": (NOBODY, "-"),  # MTURK is off
    "platforms/prolific/hook/": ("-", NOBODY),  # not without a signature
    "platforms/prolific/<slug:key>/": (NOBODY, "-"),
    "join/<str:code>/": (ALL, ALL),
    # Accounts
    "account/": (SIGNED_IN, "-"),
    **dict.fromkeys(("account/login/", "account/signup/", "account/password/reset/"), (ALL, ALL)),
    r"account/^confirm-email/(?P<key>[-:\w]+)/$": (ALL, NOBODY),  # which says that the link does not work
    "account/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": (ALL, ALL),
    **{
        f"account/{page}/": (ALL, "-")
        for page in ("inactive", "confirm-email", "password/reset/done", "password/reset/key/done")
    },
    "account/logout/": (SIGNED_IN, NOBODY),  # everybody is led to the sign-in
    **{
        f"account/{page}/": (SIGNED_IN, SIGNED_IN)
        for page in ("email", "password/change", "sessions", "2fa/totp/activate", "2fa/webauthn/add", "3rdparty")
    },
    **{f"account/{page}/": (SIGNED_IN, "-") for page in ("2fa", "2fa/webauthn")},
    **{  # not without a password or a factor
        f"account/{page}/": (NOBODY, NOBODY)
        for page in (
            *("reauthenticate", "reauthenticate/code", "reauthenticate/code/confirm", "2fa/reauthenticate"),
            *("2fa/totp/deactivate", "2fa/recovery-codes", "2fa/webauthn/reauthenticate", "3rdparty/signup"),
            *(f"2fa/webauthn/keys/<int:pk>/{act}" for act in ("remove", "edit")),
        )
    },
    "account/2fa/recovery-codes/download/": (NOBODY, "-"),
    **{  # who is signed in is led on
        f"account/{page}/": (SIGNED_IN, SIGNED_IN)
        for page in ("login/code/confirm", "2fa/authenticate", "2fa/recovery-codes/generate")
    },
    **dict.fromkeys(
        ("account/password/set/", "account/social/connections/", "account/social/signup/"), (ALL, ALL)
    ),  # they lead elsewhere
    **{f"account/{page}/login/cancelled/": (ALL, "-") for page in ("3rdparty", "social")},
    "account/3rdparty/login/error/": (NOBODY, "-"),
    "account/social/login/error/": (ALL, "-"),
    **{f"account/oidc/^(?P<provider_id>[^/]+)/login/{page}": (NOBODY, NOBODY) for page in ("", "callback/")},
    "find/": ("OQBDRSV", "-"),
    **{address: (ALL, "-") for address in ("help/", "help/files/<path:path>")},
    "service/": (ADMIN, ADMIN),
    "help/<path:name>/": (NOBODY, "-"),  # no page has the name of a project
    # The admin pages
    "admin/": (STAFF, STAFF),
    "admin/login/": (NOBODY, NOBODY),  # everybody is led to the sign-in, or to the first page
    "admin/logout/": ("-", STAFF),
    "admin/password_change/": (STAFF, STAFF),
    "admin/password_change/done/": (STAFF, "-"),
    "admin/search/": (STAFF, "-"),
    "admin/autocomplete/": ("ORQD", "-"),
    "admin/jsi18n/": (STAFF, "-"),
    "admin/r/<path:content_type_id>/<path:object_id>/": (NOBODY, "-"),
    "admin/auth/user/<id>/password/": (ADMIN, ADMIN),
    "admin/^(?P<app_label>APPS)/$": ("RQOD", "-"),
    "admin/(?P<url>.*)$": (NOBODY, "-"),
}
