"""The app's documents as Pydantic models, which the peer checks, completes and indexes before it publishes them."""

import datetime
import uuid
from typing import Iterator, Optional

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


def identity() -> str:
    return str(uuid.uuid4())


def now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Model(BaseModel):
    """A model that is written in camelCase and read in camelCase or snake_case. Members of newer apps are kept."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")


class Item(Model):
    id: str = Field(default_factory=identity)
    title: str
    item_description: Optional[str] = None
    is_optional: bool = False
    is_required: bool = False
    tags: list[str] = Field(default_factory=list)
    estimated_minutes: Optional[int] = None
    sort_order: int = 0


class Section(Model):
    id: str = Field(default_factory=identity)
    title: str
    icon: Optional[str] = None
    description: Optional[str] = None
    items: list[Item] = Field(default_factory=list)
    is_expanded_by_default: bool = True
    sort_order: int = 0


class Card(Model):
    id: str = Field(default_factory=identity)
    front: str
    back: str
    tags: list[str] = Field(default_factory=list)
    hint: Optional[str] = None
    source: Optional[str] = None
    sort_order: int = 0


class Document(Model):
    id: str = Field(default_factory=identity)
    title: str = ""
    description: Optional[str] = None
    tags: list[str] = Field(default_factory=list)
    created_at: str = Field(default_factory=now)
    updated_at: str = Field(default_factory=now)
    sync_status: str = "pending"

    def parts(self) -> Iterator[Optional[str]]:
        yield from (self.title, self.description, *self.tags)

    def words(self) -> str:
        """Returns the words by which the full-text search finds the document."""
        return "\n".join(text for text in self.parts() if text)


class Checklist(Document):
    sections: list[Section] = Field(default_factory=list)

    def parts(self) -> Iterator[Optional[str]]:
        yield from super().parts()
        for section in self.sections:
            yield section.title
            yield section.description
            for item in section.items:
                yield item.title
                yield item.item_description
                yield from item.tags


class Guide(Document):
    markdown: str = ""

    def parts(self) -> Iterator[Optional[str]]:
        yield from super().parts()
        yield self.markdown


class Deck(Document):
    cards: list[Card] = Field(default_factory=list)

    def parts(self) -> Iterator[Optional[str]]:
        yield from super().parts()
        for card in self.cards:
            yield from (card.front, card.back, card.hint, card.source, *card.tags)


MODELS: dict[str, type[Document]] = {"checklist": Checklist, "practice_guide": Guide, "flashcard_deck": Deck}
