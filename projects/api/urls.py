"""Addresses of the requesters' API, version 1."""

from django.urls import path

from projects.api import (
    changes,
    data_card,
    doubts,
    exports,
    files,
    forecasts,
    gold,
    hooks,
    imports,
    measurements,
    phrases,
    predictions,
    projects,
    rows,
    settings,
)

app_name = "requester_api"
ONE = "projects/<slug:project>/"
urlpatterns = [
    path("projects/", projects.ProjectsCall.as_view(), name="projects"),
    path(ONE, projects.ProjectCall.as_view(), name="project"),
    path(f"{ONE}state/", projects.StateCall.as_view(), name="state"),
    path(f"{ONE}settings/", settings.SettingsCall.as_view(), name="settings"),
    path(f"{ONE}data-card/", data_card.DataCardCall.as_view(), name="data_card"),
    path(f"{ONE}gold/", gold.GoldCall.as_view(), name="gold"),
    path(f"{ONE}judgments/", rows.JudgmentsCall.as_view(), name="judgments"),
    path(f"{ONE}votes/", rows.VotesCall.as_view(), name="votes"),
    path(f"{ONE}changes/", changes.ChangesCall.as_view(), name="changes"),
    path(f"{ONE}ledger/", rows.LedgerCall.as_view(), name="ledger"),
    path(f"{ONE}files/", files.FilesCall.as_view(), name="files"),
    path(f"{ONE}imports/", imports.ImportsCall.as_view(), name="imports"),
    path(f"{ONE}imports/<int:run_id>/", imports.ImportCall.as_view(), name="import"),
    path(f"{ONE}imports/<int:run_id>/left-out/", imports.LeftOutCall.as_view(), name="left_out"),
    path(f"{ONE}phrases/", phrases.PhrasesCall.as_view(), name="phrases"),
    path(f"{ONE}predictions/", predictions.PredictionsCall.as_view(), name="predictions"),
    path(f"{ONE}doubts/", doubts.DoubtsCall.as_view(), name="doubts"),
    path(f"{ONE}measurements/", measurements.MeasurementsCall.as_view(), name="measurements"),
    path(f"{ONE}measurements/<int:measurement_id>/", measurements.MeasurementCall.as_view(), name="measurement"),
    path(f"{ONE}forecasts/", forecasts.ForecastsCall.as_view(), name="forecasts"),
    path(f"{ONE}forecasts/<int:forecast_id>/", forecasts.ForecastCall.as_view(), name="forecast"),
    path(f"{ONE}alert-channels/", hooks.HooksCall.as_view(), name="alert_channels"),
    path(f"{ONE}alert-channels/<int:channel_id>/", hooks.HookCall.as_view(), name="alert_channel"),
    path(f"{ONE}alert-channels/<int:channel_id>/test/", hooks.TryHookCall.as_view(), name="try_alert_channel"),
    path(f"{ONE}deliveries/", hooks.DeliveriesCall.as_view(), name="deliveries"),
    path(f"{ONE}exports/", exports.ExportsCall.as_view(), name="exports"),
    path(f"{ONE}exports/<str:export_format>/<slug:record>/", exports.ExportCall.as_view(), name="export"),
    path(f"{ONE}exports/<str:export_format>/<slug:record>/file/", exports.ExportFileCall.as_view(), name="export_file"),
]
