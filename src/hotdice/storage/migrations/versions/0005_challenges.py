"""Challenges, and who has played them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "challenges",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("people", sa.Integer, nullable=False),
        sa.Column("bots", sa.Text, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("closes", sa.Double, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_challenges"),
    )
    op.create_index("ix_challenges_owner", "challenges", ["owner"])
    op.create_index("ix_challenges_created", "challenges", ["created"])
    op.create_table(
        "tries",
        sa.Column("challenge_id", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("table_id", sa.String(64), nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("challenge_id", "owner", name="pk_tries"),
        sa.ForeignKeyConstraint(
            ["challenge_id"],
            ["challenges.id"],
            name="fk_tries_challenge_id_challenges",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["table_id"], ["tables.id"], name="fk_tries_table_id_tables", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_tries_owner", "tries", ["owner"])
    op.create_index("ix_tries_table_id", "tries", ["table_id"])


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("tries")
    op.drop_table("challenges")
