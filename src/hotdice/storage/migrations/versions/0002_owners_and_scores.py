"""Owners of tables and seats, and the scores of finished games."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the owner columns and the scores table."""
    op.drop_index("ix_seats_secret", table_name="seats")
    for table in ("tables", "seats"):
        owner = sa.Column("owner", sa.String(64), nullable=False, server_default="")
        op.add_column(table, owner)
        op.create_index(f"ix_{table}_owner", table, ["owner"])
    op.create_table(
        "scores",
        sa.Column("table_id", sa.String(64), nullable=False),
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("slug", sa.String(64), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("bot", sa.String(16), nullable=False),
        sa.Column("won", sa.Boolean, nullable=False),
        sa.Column("score", sa.Integer, nullable=False),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("best", sa.Integer, nullable=False),
        sa.Column("empty", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "game", "seat", name="pk_scores"),
        sa.ForeignKeyConstraint(
            ["table_id"], ["tables.id"], name="fk_scores_table_id_tables", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_scores_owner", "scores", ["owner"])


def downgrade() -> None:
    """Remove them."""
    op.drop_index("ix_scores_owner", table_name="scores")
    op.drop_table("scores")
    for table in ("tables", "seats"):
        op.drop_index(f"ix_{table}_owner", table_name=table)
        op.drop_column(table, "owner")
    op.create_index("ix_seats_secret", "seats", ["secret"])
