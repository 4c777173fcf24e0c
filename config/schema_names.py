"""Names of enumerations in the schema of the API, for those that would get a number."""

ENUM_NAMES = {
    "RunStateEnum": "projects.models.long_work.RUN_STATES",
    "LabelStandingEnum": "projects.api.doubts.STANDINGS",
    "TaskEnum": "projects.people.operations.TASK_NAMES",
    "CorrectEnum": ["correct"],
    "WrongEnum": ["wrong"],
    "StopEnum": ["stop"],
}
