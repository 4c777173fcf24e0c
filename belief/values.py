"""Values [beyond paper 3]: the ranges of what priors store, with the words that name a wrong one."""

import json
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, Strict

from annotation.rules.plain_errors import should_be


class Stored:
    """A dataclass that a prior stores: an unknown name is an error."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    def to_json(self) -> dict[str, Any]:
        """Return the values by name, as JSON has them."""
        return json.loads(json.dumps(vars(self), default=vars))  # type: ignore[no-any-return]


Amount = Annotated[float, Strict(), Field(ge=0), should_be("a number from 0")]
Whole = Annotated[int, Strict(), Field(ge=0), should_be("a whole number from 0")]
Share = Annotated[float, Strict(), Field(ge=0, le=1), should_be("a number from 0 to 1")]
PositiveShare = Annotated[float, Strict(), Field(gt=0, le=1), should_be("a number above 0 and up to 1")]
Chance = Annotated[float, Strict(), Field(gt=0, lt=1), should_be("a number between 0 and 1")]
ProgramNumber = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,17}$"), should_be("the number of a program")]
"""18 digits fit a number of the database."""
