"""What players have answered when learning."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "answers",
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("slug", sa.String(64), nullable=False),
        sa.Column("exercise", sa.String(16), nullable=False),
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("correct", sa.Boolean, nullable=False),
        sa.Column("first", sa.Boolean, nullable=False),
        sa.Column("since", sa.Integer, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("due", sa.Integer, nullable=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("chance", sa.Double, nullable=True),
        sa.PrimaryKeyConstraint("owner", "slug", "exercise", "name", name="pk_answers"),
    )
    op.create_index("ix_answers_at", "answers", ["at"])


def downgrade() -> None:
    """Remove it."""
    op.drop_index("ix_answers_at", table_name="answers")
    op.drop_table("answers")
