"""The tables of a ledger, as the newest migration leaves them."""

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
)

REVISIONS = ["ledger_1"]  # of the migrations, the newest last
NUMBER = BigInteger().with_variant(Integer(), "sqlite")  # SQLite's own row number is an INTEGER

metadata = MetaData()

# what happened: one chain, never changed
events = Table(
    "events",
    metadata,
    Column("sequence", NUMBER, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("about", Text, nullable=False, index=True),  # the fingerprint of what it is about
    Column("content", Text, nullable=False),
    Column("previous", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
)

# where the chain ends, sealed with the ledger's key: the one row that moves on
head = Table(
    "head",
    metadata,
    Column("id", NUMBER, primary_key=True, autoincrement=False),
    Column("sequence", BigInteger, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("seal", LargeBinary, nullable=False),
)

# people by their pseudonyms; `short` is the pseudonym's beginning, for a small index
subjects = Table(
    "subjects",
    metadata,
    Column("id", NUMBER, primary_key=True, autoincrement=False),
    Column("short", BigInteger, nullable=False, index=True),
    Column("pseudonym", LargeBinary, nullable=False),
    Column("key_digest", LargeBinary, nullable=False),
)

# people's keys, wrapped: the only rows that may be deleted
keys = Table(
    "keys",
    metadata,
    Column("subject", NUMBER, primary_key=True, autoincrement=False),
    Column("wrapped", LargeBinary, nullable=False),
)

# a decision about one person, sealed; with advice it is a promise
decisions = Table(
    "decisions",
    metadata,
    Column("number", NUMBER, primary_key=True, autoincrement=False),
    Column("batch", BigInteger, nullable=False),
    Column("subject", BigInteger, nullable=False, index=True),
    Column("identity", LargeBinary, nullable=False),
    Column("promised", SmallInteger, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("cost", Double),
    Column("certified", Double),
    Column("months", Double, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
)

# which events concern which promises: what the events list, for quick reading
touched = Table(
    "touched",
    metadata,
    Column("promise", NUMBER, primary_key=True, autoincrement=False),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
)

# what gates found, promise by promise, in compressed parts
verdicts = Table(
    "verdicts",
    metadata,
    Column("gate", NUMBER, primary_key=True, autoincrement=False),
    Column("part", NUMBER, primary_key=True, autoincrement=False),
    Column("first", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
