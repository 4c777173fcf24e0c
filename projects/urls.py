"""Addresses of the requesters' pages: one list for each room."""

from django.urls import path

from accounts.reauthentication import reauthenticated
from projects import explore
from projects.alerts import pages as alerts
from projects.api import pages as api_pages
from projects.corrected import changes_page
from projects.dashboard import pages as dashboard
from projects.data import pages as data
from projects.demo import sign_in
from projects.evaluation import overlay_page
from projects.evaluation import pages as evaluate
from projects.forecast import pages as predict
from projects.gold import pages as gold
from projects.label_errors import pages as checking
from projects.lifecycle import pages as lifecycle
from projects.people import assignments_page, members_page, money_page
from projects.people import pages as people
from projects.predictions import pages as predictions
from projects.recruiting import pages as recruit
from projects.recruiting import sessions_page
from projects.review import error_sample
from projects.review import pages as review
from projects.settings import pages as settings_form
from projects.surveys import pages as surveys

app_name = "projects"
urlpatterns = [
    path("account/tokens/", reauthenticated(api_pages.tokens), name="tokens"),
    path("account/tokens/api/", api_pages.reference, name="api_reference"),
    path("account/tokens/<int:token_id>/revoke/", api_pages.revoke, name="revoke_token"),
    path("account/rights/", reauthenticated(members_page.rights), name="rights"),
    path("account/membership/<str:code>/", members_page.accept, name="accept"),
    path("account/demo/", sign_in.sign_in_as_requester, name="demo_requester"),
    path("projects/new/", lifecycle.new_project, name="new"),
    path("projects/new/survey/", surveys.new, name="new_survey"),
    path("projects/<slug:name>/items/", surveys.items, name="items"),
    path("projects/<slug:name>/results/", surveys.results, name="results"),
    path("projects/<slug:name>/results/<slug:chart>.csv", surveys.table, name="results_table"),
    path("projects/<slug:name>/results/votes.jsonl", surveys.votes, name="votes"),
    path("projects/<slug:name>/state/", lifecycle.state, name="state"),
    path("projects/<slug:name>/settings/", settings_form.settings_page, name="settings"),
    path("projects/<slug:name>/settings/learned/", settings_form.learned_page, name="learned"),
    path("projects/<slug:name>/delete/", reauthenticated(lifecycle.delete_project), name="delete"),
    path("projects/<slug:name>/copy/", data.copy, name="copy"),
    path("projects/<slug:name>/data/", data.data_page, name="data"),
    path("projects/<slug:name>/data/upload/remove/", data.remove_files, name="remove_files"),
    path("projects/<slug:name>/data/captions/", data.captions, name="captions"),
    path("projects/<slug:name>/data/card/", data.keep_card, name="card"),
    path("projects/<slug:name>/data/import/", data.start_import, name="import"),
    path("projects/<slug:name>/runs/<int:run>/", lifecycle.steer, name="steer_run"),
    path("projects/<slug:name>/data/runs/<int:run_id>/left-out.csv", data.left_out_csv, name="left_out"),
    path("projects/<slug:name>/data/corrected/", data.corrected, name="corrected"),
    path("projects/<slug:name>/data/corrected/<int:run_id>.zip", data.corrected_set, name="corrected_set"),
    path("projects/<slug:name>/export/", data.export_with_options, name="make_export"),
    path("projects/<slug:name>/data/preview/", data.preview, name="preview"),
    path("projects/<slug:name>/data/preview/types/", data.types, name="types"),
    path("projects/<slug:name>/dashboard/", dashboard.dashboard, name="dashboard"),
    path("projects/<slug:name>/dashboard/words/", dashboard.worker_messages, name="words"),
    path("projects/<slug:name>/dashboard/<slug:chart>.csv", dashboard.chart_table, name="dashboard_table"),
    path("projects/<slug:name>/predict/", predict.predict, name="predict"),
    path("projects/<slug:name>/predict/<slug:chart>.csv", predict.forecast_table, name="predict_table"),
    path("projects/<slug:name>/dry-run/", data.dry_run, name="dry_run"),
    path("projects/<slug:name>/dry-run/delete/", data.delete, name="delete_dry_run"),
    path("projects/<slug:name>/alerts/", alerts.alerts, name="alerts"),
    path("projects/<slug:name>/alerts/channels/<int:channel>/", alerts.channel, name="alert_channel"),
    path("projects/<slug:name>/alerts/deliveries/<int:delivery>/", alerts.send_again_page, name="send_again"),
    path("projects/<slug:name>/models/", predictions.models, name="models"),
    path("projects/<slug:name>/models/judge/", predictions.judge, name="judge"),
    path("projects/<slug:name>/models/measure/", predictions.measure, name="measure"),
    path("projects/<slug:name>/review/", review.queue, name="review"),
    path("projects/<slug:name>/review/sample/", error_sample.samples, name="samples"),
    path("projects/<slug:name>/review/sample/<int:sample_id>/", error_sample.sample, name="error_sample"),
    path("projects/<slug:name>/review/sample/<int:sample_id>/csv/", error_sample.sample_csv, name="sample_csv"),
    path(
        "projects/<slug:name>/review/sample/<int:sample_id>/<int:place>/",
        error_sample.sampled_image,
        name="sampled_image",
    ),
    path("projects/<slug:name>/review/<int:image_id>/", review.workbench, name="bench"),
    path("projects/<slug:name>/review/<int:image_id>/send/", review.send, name="send_to_review"),
    path("projects/<slug:name>/check/changes/", changes_page.changes, name="changes"),
    path("projects/<slug:name>/check/changes.jsonl", changes_page.changes_file, name="changes_file"),
    path("projects/<slug:name>/check/", checking.check, name="check"),
    path("projects/<slug:name>/check/wrong/", checking.wrong_labels_page, name="wrong_labels"),
    path("projects/<slug:name>/gold/", gold.gold, name="gold"),
    path("projects/<slug:name>/gold/imported/", gold.use_import, name="use_imported_gold"),
    path("projects/<slug:name>/gold/questions/", gold.questions, name="known_questions"),
    path("projects/<slug:name>/gold/questions/<int:question_id>/", gold.promote, name="promote"),
    path("projects/<slug:name>/gold/suggestions/", gold.suggestions, name="suggestions"),
    path("projects/<slug:name>/gold/<int:image_id>/", gold.gold_image, name="gold_image"),
    path("projects/<slug:name>/gold/<int:image>/remove/", gold.remove, name="gold_remove"),
    path("projects/<slug:name>/explore/", explore.explore, name="explore"),
    path("projects/<slug:name>/explore/export/", explore.export_selection, name="explore_export"),
    path("projects/<slug:name>/evaluate/", evaluate.evaluate, name="evaluate"),
    path("projects/<slug:name>/evaluate/<int:evaluation_id>/", evaluate.show_report, name="report"),
    path("projects/<slug:name>/evaluate/<int:evaluation_id>/phrases/", overlay_page.overlays, name="overlays"),
    path("projects/<slug:name>/evaluate/<int:evaluation_id>/archive/", evaluate.archive, name="report_archive"),
    path("projects/<slug:name>/evaluate/<int:evaluation_id>/delete/", evaluate.delete_report, name="delete_report"),
    path("projects/<slug:name>/evaluate/<int:evaluation_id>/files/<str:file>", evaluate.file, name="report_file"),
    path("projects/<slug:name>/members/", members_page.members, name="members"),
    path("projects/<slug:name>/members/<int:member>/", members_page.member, name="member"),
    path("projects/<slug:name>/members/invitations/<int:invitation>/", members_page.withdraw, name="withdraw"),
    path("projects/<slug:name>/recruit/", recruit.recruit, name="recruit"),
    path("projects/<slug:name>/recruit/<slug:platform>/offer/", recruit.offer, name="offer"),
    path("projects/<slug:name>/recruit/<slug:platform>/read/", recruit.read, name="read_platform"),
    path("projects/<slug:name>/recruit/<slug:platform>/pay/", recruit.settle, name="settle"),
    path("projects/<slug:name>/recruit/<slug:platform>/compare/", recruit.compare_ledgers, name="compare"),
    path("projects/<slug:name>/recruit/<slug:platform>/stop/", recruit.confirm_stop, name="stop_recruiting"),
    path("projects/<slug:name>/recruit/<slug:platform>/sessions/", sessions_page.sessions, name="sessions"),
    path("projects/<slug:name>/recruit/<slug:platform>/payments/", sessions_page.payments, name="payments"),
    path("projects/<slug:name>/workers/", people.workers, name="workers"),
    path("projects/<slug:name>/workers/message/", people.message_all, name="message_all"),
    path("projects/<slug:name>/workers/money/", money_page.money, name="money"),
    path("projects/<slug:name>/workers/invite/", members_page.invitations, name="invitations"),
    path("projects/<slug:name>/workers/invite/<int:invitation>/close/", members_page.close, name="close_invitation"),
    path("projects/<slug:name>/workers/<int:worker>/", people.worker, name="worker"),
    path("projects/<slug:name>/workers/<int:worker>/trust/", people.trust, name="worker_trust"),
    path("projects/<slug:name>/workers/<int:worker>/access/", people.access, name="worker_access"),
    path("projects/<slug:name>/workers/<int:worker>/pay/", people.pay, name="worker_pay"),
    path("projects/<slug:name>/workers/<int:worker>/bonus/", people.bonus, name="worker_bonus"),
    path("projects/<slug:name>/workers/<int:worker>/assignments/", assignments_page.assignments, name="assignments"),
    path("projects/<slug:name>/workers/<int:worker_id>/reconsider/", review.reconsidered, name="reconsider"),
    path("projects/<slug:name>/workers/<int:worker>/message/", people.message, name="worker_message"),
    path(
        "projects/<slug:name>/workers/<int:worker>/dismiss/<int:signal>/", people.dismiss_signal, name="dismiss_signal"
    ),
]
