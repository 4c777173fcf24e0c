"""Rules [paper 3]: what one entry of a record acts under: a version of the settings, and who decides what is asked."""

from dataclasses import dataclass

from pipeline.protocol.boxes.policy import BoxPolicy
from pipeline.protocol.context import NO_NEEDS, Needs
from pipeline.protocol.links.policy import LinkPolicy
from pipeline.protocol.settings import ProtocolSettings


@dataclass(frozen=True, slots=True)
class Rules:
    """A policy decides; only the machine acts."""

    settings: ProtocolSettings
    links: LinkPolicy
    boxes: BoxPolicy
    needs: Needs = NO_NEEDS
