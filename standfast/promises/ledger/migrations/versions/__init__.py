"""The versions of a ledger's tables; a version that was released is never edited."""
