"""Names of enumerations in the schema of the API, for those that would get a number."""

ENUM_NAMES = {
    "ProjectStateEnum": "projects.api.projects.STATES",
    "ForecastStateEnum": "projects.api.forecasts.FORECAST_STATES",
    "StandingEnum": "projects.api.predictions.STANDINGS",
    "LabelStandingEnum": "projects.api.doubts.STANDINGS",
    "CorrectEnum": ["correct"],
    "WrongEnum": ["wrong"],
}
