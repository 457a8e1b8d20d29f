"""A row to write, for finding out whether the database can be written to."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make room for it, and for finding tables by their age."""
    op.create_table(
        "pulse",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_pulse"),
    )
    op.create_index("ix_tables_created", "tables", ["created"])


def downgrade() -> None:
    """Do without."""
    op.drop_index("ix_tables_created", table_name="tables")
    op.drop_table("pulse")
