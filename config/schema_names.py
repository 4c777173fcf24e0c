"""Names of enumerations in the schema of the API, for those that would get a number."""

ENUM_NAMES = {
    "ProjectStateEnum": "campaign.api.projects.STATES",
    "ForecastStateEnum": "campaign.api.forecasts.FORECAST_STATES",
    "StandingEnum": "campaign.api.predictions.STANDINGS",
    "LabelStandingEnum": "campaign.api.doubts.STANDINGS",
    "CorrectEnum": ["correct"],
    "WrongEnum": ["wrong"],
}
