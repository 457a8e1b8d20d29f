"""Analyses of finished games."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "analyses",
        sa.Column("table_id", sa.String(64), nullable=False),
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("report", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "game", name="pk_analyses"),
        sa.ForeignKeyConstraint(
            ["table_id"], ["tables.id"], name="fk_analyses_table_id_tables", ondelete="CASCADE"
        ),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("analyses")
