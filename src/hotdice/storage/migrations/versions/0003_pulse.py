"""A row for testing that the database is writable, and an index on the age of tables."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the index."""
    op.create_table(
        "pulse",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_pulse"),
    )
    op.create_index("ix_tables_created", "tables", ["created"])


def downgrade() -> None:
    """Remove them."""
    op.drop_index("ix_tables_created", table_name="tables")
    op.drop_table("pulse")
