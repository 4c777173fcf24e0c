"""Names of enumerations in the schema of the API, for those that would get a number."""

ENUM_NAMES = {
    "MentionTypeEnum": "projects.review.queue.TYPE_NAMES",
    "SourceFormatEnum": "projects.data.operations.SOURCE_FORMATS",
    "ExportFormatEnum": "exchange.registry.export_formats",
    "BoxFormEnum": "evaluation.reading.predictions.rows.FORMS",
    "FlagEnum": ["scene", "no box"],
    "TaskEnum": "projects.people.operations.TASK_NAMES",
    "CorrectEnum": ["correct"],
    "WrongEnum": ["wrong"],
}
