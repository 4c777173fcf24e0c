"""The names of jobs. Work that an earlier version sent waits under them: they stay whatever becomes of a module."""

from django.conf import settings

from config.celery import app

NAMES = {
    "campaign.corrected",
    "campaign.enter_predictions",
    "campaign.evaluate",
    "campaign.measure",
    "campaign.predict",
    "campaign.refresh_figures",
    "campaign.run",
    "campaign.tell_alerts",
    "campaign.try_channel",
    "config.prune",
    "exchange.forget_exports",
    "exchange.help_export",
    "exchange.help_export_aside",
    "exchange.help_import",
    "exchange.publish_export",
    "labelling.forget_idle_workers",
    "messaging.deliver_answers",
    "messaging.tick",
    "pipeline.advance_questions",
    "pipeline.schedule_links",
    "pipeline.send_waiting",
    "pipeline.tick",
    "platforms.hear",
    "platforms.settle",
    "platforms.sync",
    "reports.look_at_workers",
}


def test_jobs_keep_their_names_and_the_clock_knows_them() -> None:
    app.loader.import_default_modules()
    ours = {name for name in app.tasks if name.partition(".")[0] in settings.INSTALLED_APPS}
    assert ours == NAMES
    assert {one["task"] for one in settings.CELERY_BEAT_SCHEDULE.values()} <= NAMES
