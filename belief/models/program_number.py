"""Program number [beyond paper 3.3]: the number of a program as a worker, by which records of programs are named."""

from typing import Annotated

from pydantic import Field

from annotation.rules.plain_errors import should_be

ProgramNumber = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,17}$"), should_be("the number of a program")]
"""18 digits fit a number of the database."""
