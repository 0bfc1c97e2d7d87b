import json
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from standfast import Autoencoder, InputError, Schema


def test_a_file_gives_back_the_very_same_autoencoder(fitted, schema, table, tmp_path):
    file = tmp_path / "people.npz"
    fitted.write(file)
    again = Autoencoder.read(file)
    X = schema.matrix(table)
    assert again.digest == fitted.digest
    assert again.about == fitted.about
    assert again.schema == schema
    assert (again.bound(X) == fitted.bound(X)).all()
    assert (again.reconstruct(X) == fitted.reconstruct(X)).all()


def test_it_pickles(fitted, schema, table):
    again = pickle.loads(pickle.dumps(fitted))
    X = schema.matrix(table)
    assert again.digest == fitted.digest
    assert (again.reconstruct(X) == fitted.reconstruct(X)).all()


def test_a_schema_drafted_from_a_table_survives(fitted, schema, table, tmp_path):
    drafted = Schema.infer(table)
    kept = replace(fitted, schema=replace(schema, draft=drafted.draft))
    kept.write(tmp_path / "a.npz")
    assert Autoencoder.read(tmp_path / "a.npz").digest == kept.digest


USE = """
import sys
for name in ("jax", "equinox", "optax"):
    sys.modules[name] = None
import numpy as np
from standfast import Autoencoder
found = Autoencoder.read(sys.argv[1])
X = np.load(sys.argv[2])
np.save(sys.argv[3], np.column_stack([found.bound(X), found.reconstruct(X)]))
"""


def test_a_saved_autoencoder_works_where_the_extra_is_not_installed(
    fitted, schema, table, tmp_path
):
    fitted.write(tmp_path / "a.npz")
    X = schema.matrix(table)[:50]
    np.save(tmp_path / "x.npy", X)
    files = [str(tmp_path / name) for name in ("a.npz", "x.npy", "y.npy")]
    subprocess.run([sys.executable, "-c", USE, *files], check=True)
    there = np.load(tmp_path / "y.npy")
    assert (there == np.column_stack([fitted.bound(X), fitted.reconstruct(X)])).all()


def altered(file, **changes):
    with np.load(file) as held:
        arrays = dict(held)
    for name, change in changes.items():
        arrays[name.replace("__", ".")] = change
    np.savez(file, **arrays)


def header(file, **changes):
    with np.load(file) as held:
        text = json.loads(str(held["header"]))
    altered(file, header=np.array(json.dumps(text | changes)))


@pytest.mark.parametrize(
    ("spoil", "shown"),
    [
        (lambda f: f.unlink(), "there is no file"),
        (lambda f: f.write_bytes(b""), "cannot read .* expected the .npz file"),
        (lambda f: f.write_bytes(b"hello"), "cannot read"),
        (lambda f: f.write_bytes(f.read_bytes()[:3000]), "cannot read"),
        (lambda f: np.savez(f, x=np.zeros(3)), "cannot read"),
        (lambda f: np.savez(f, header=np.array([{}], dtype=object)), "cannot read"),
        (lambda f: header(f, format=99), "holds format 99 and this standfast reads 1"),
        (lambda f: header(f, schema="[features.x]\n"), "does not fit the schema"),
        (lambda f: header(f, schema="= nonsense"), "lacks a part"),
        (lambda f: header(f, about={"epochs": 3}), "lacks a part of an autoencoder .*seed"),
        (lambda f: altered(f, bounds=np.arange(9.0)), "does not match its digest"),
        (lambda f: altered(f, bounds=np.arange(9.0)[::-1]), "out of order"),
        (lambda f: altered(f, weights__prior=np.zeros((9, 9))), "has the shape"),
        (lambda f: altered(f, weights__prior=np.full((3, 2), np.nan)), "something else than n"),
        (lambda f: altered(f, layout__free=np.arange(6) + 100), "free does not fit the schema"),
        (lambda f: altered(f, layout__levels=np.full(6, 999)), "levels of ordinals"),
        (lambda f: altered(f, layout__scale=np.zeros(8)), "not positive"),
    ],
)
def test_a_damaged_or_altered_file_is_refused(fitted, tmp_path, spoil, shown):
    file = tmp_path / "a.npz"
    fitted.write(file)
    spoil(file)
    with pytest.raises(InputError, match=shown):
        Autoencoder.read(file)


def test_a_path_that_cannot_take_it_is_refused(fitted, tmp_path):
    with pytest.raises(InputError, match=r"must end in \.npz"):
        fitted.write(tmp_path / "a.pkl")
    with pytest.raises(InputError, match="does not exist"):
        fitted.write(tmp_path / "gone" / "a.npz")


def test_another_schema_is_refused_and_other_bounds_are_not(fitted, schema):
    fitted.check(replace(schema, features=tuple(replace(f, step=2) for f in schema)))
    fewer = replace(schema, features=schema.features[1:])
    with pytest.raises(InputError, match="was fitted on age, income"):
        fitted.check(fewer)
    moved = tuple(replace(f, mutable=True) for f in schema)
    with pytest.raises(InputError, match="mutable = False for 'age' and the schema says True"):
        fitted.check(replace(schema, features=moved))
    other = tuple(replace(f, kind="real") for f in schema)
    with pytest.raises(InputError, match="kind = count for 'age' and the schema says real"):
        fitted.check(replace(schema, features=other))


def test_a_matrix_of_other_width_is_refused(fitted):
    with pytest.raises(InputError, match="reads 8 inputs but was given a matrix of shape"):
        fitted.bound(np.zeros((2, 3)))
