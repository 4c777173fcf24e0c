"""A twin of a server that speaks the chat-completions protocol, with a model that knows drawn scenes."""

from tests.twins.chat.faults import Fault
from tests.twins.chat.model import TwinModel
from tests.twins.chat.truth import Truth
from tests.twins.chat.twin import ChatTwin

__all__ = ["ChatTwin", "Fault", "Truth", "TwinModel"]
