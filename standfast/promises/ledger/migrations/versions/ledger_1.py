"""The first ledger: events in a chain, people, their keys and decisions, and verdicts."""

import sqlalchemy as sa
from alembic import op

from standfast.errors import InputError

revision = "ledger_1"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, NUMBER, primary_key=True, autoincrement=False)


def _whole(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False)


def _bytes(name: str) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary, nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "events",
        *(_number("sequence"), _text("kind"), _whole("at"), _text("actor"), _text("about")),
        *(_text("content"), _bytes("previous"), _bytes("hash")),
    )
    op.create_index("ix_events_about", "events", ["about"])
    op.create_table("head", _number("id"), _whole("sequence"), _bytes("hash"), _bytes("seal"))
    op.create_table(
        "subjects", _number("id"), _whole("short"), _bytes("pseudonym"), _bytes("key_digest")
    )
    op.create_index("ix_subjects_short", "subjects", ["short"])
    op.create_table("keys", _number("subject"), _bytes("wrapped"))
    op.create_table(
        "decisions",
        *(_number("number"), _whole("batch"), _whole("subject"), _bytes("identity")),
        sa.Column("promised", sa.SmallInteger, nullable=False),
        _text("outcome"),
        *(sa.Column("cost", sa.Double), sa.Column("certified", sa.Double)),
        sa.Column("months", sa.Double, nullable=False),
        _bytes("sealed"),
    )
    op.create_index("ix_decisions_subject", "decisions", ["subject"])
    op.create_table(
        "touched",
        _number("promise"),
        sa.Column("sequence", sa.BigInteger, primary_key=True, autoincrement=False),
    )
    op.create_table(
        "verdicts",
        *(_number("gate"), _number("part"), _whole("first"), _whole("last"), _bytes("content")),
    )


def downgrade() -> None:
    """Nothing was before."""
    raise InputError("a ledger cannot be downgraded; open it with the version that wrote it")
