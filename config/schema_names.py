"""Names of enumerations in the schema of the API, for those that would get a number."""

ENUM_NAMES = {
    "ProjectStateEnum": "campaign.api.shapes.STATES",
    "ForecastStateEnum": "campaign.api.shapes_of_forecasts.STATES",
    "CorrectEnum": ["correct"],
    "WrongEnum": ["wrong"],
}
