"""The schema, the same for both engines; ``migrations/`` upgrades older databases to it."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

tables = Table(
    "tables",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("setup", Text, nullable=False),
    Column("host", String(64), nullable=False),
    Column("created", Double, nullable=False),
    Column("owner", String(64), nullable=False, server_default=""),
    Index("ix_tables_owner", "owner"),
    Index("ix_tables_created", "created"),
)
"""Tables; ``host`` is the hash of the host's secret, ``owner`` that of the host's player key."""

seats = Table(
    "seats",
    metadata,
    Column("table_id", String(64), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("secret", String(64), nullable=False),
    Column("owner", String(64), nullable=False, server_default=""),
    Index("ix_seats_owner", "owner"),
)
"""Hashes of the secret and of the player key that give access to a seat."""

entries = Table(
    "entries",
    metadata,
    Column("table_id", String(64), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Double, nullable=False),
)
"""The logs; of two processes that race, the primary key lets only one commit."""

scores = Table(
    "scores",
    metadata,
    Column("table_id", String(64), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("game", Integer, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("slug", String(64), nullable=False),
    Column("name", Text, nullable=False),
    Column("bot", String(16), nullable=False),
    Column("won", Boolean, nullable=False),
    Column("score", Integer, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("best", Integer, nullable=False),
    Column("empty", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Index("ix_scores_owner", "owner"),
)
"""Results of finished games, a row per seat; redundant with the logs, for fast statistics."""

analyses = Table(
    "analyses",
    metadata,
    Column("table_id", String(64), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("game", Integer, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    Column("report", Text, nullable=False),
)
"""Analyses of finished games; ``digest`` is the report without its events, for statistics."""

challenges = Table(
    "challenges",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("game", String(64), nullable=False),
    Column("options", Text, nullable=False),
    Column("people", Integer, nullable=False),
    Column("bots", Text, nullable=False),
    Column("secret", String(64), nullable=False),
    Column("owner", String(64), nullable=False),
    Column("created", Double, nullable=False),
    Column("closes", Double, nullable=True),
    Index("ix_challenges_owner", "owner"),
    Index("ix_challenges_created", "created"),
)
"""Challenges; the id of a daily one is its game and day, so the primary key lets only one be."""

tries = Table(
    "tries",
    metadata,
    Column(
        "challenge_id",
        String(64),
        ForeignKey("challenges.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("owner", String(64), primary_key=True),
    Column("table_id", String(64), ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("at", Double, nullable=False),
    Index("ix_tries_owner", "owner"),
    Index("ix_tries_table_id", "table_id"),
)
"""Who has played a challenge where; the primary key gives every player key one try."""

answers = Table(
    "answers",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("slug", String(64), primary_key=True),
    Column("exercise", String(16), primary_key=True),
    Column("name", String(128), primary_key=True),
    Column("answer", Text, nullable=False),
    Column("correct", Boolean, nullable=False),
    Column("first", Boolean, nullable=False),
    Column("since", Integer, nullable=False),
    Column("step", Integer, nullable=False),
    Column("due", Integer, nullable=True),
    Column("at", Double, nullable=False),
    Column("chance", Double, nullable=True),
    Index("ix_answers_at", "at"),
)
"""What players have answered when learning; ``owner`` is the hash of the player key."""

pulse = Table(
    "pulse",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
)
"""One row, written by health checks to test that the database is writable."""
