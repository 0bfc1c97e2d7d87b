"""Files in and out: read with a clear sentence when they cannot be, written whole or not at all."""

from standfast.files.tables import check_table_path, read_parquet, read_table, write_table
from standfast.files.whole import (
    check_new_folder,
    check_regular,
    check_text,
    check_writable,
    read_bytes,
    read_text,
    visible,
    write_folder,
    write_whole,
)

__all__ = [
    "check_new_folder",
    "check_regular",
    "check_table_path",
    "check_text",
    "check_writable",
    "read_bytes",
    "read_parquet",
    "read_table",
    "read_text",
    "visible",
    "write_folder",
    "write_table",
    "write_whole",
]
