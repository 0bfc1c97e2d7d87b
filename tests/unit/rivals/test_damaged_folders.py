"""Folders of models that were edited, damaged or replaced: read, or refused with a sentence."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import samples
from samples.damage import Damage, as_text, edited, hanging, raw_errors, some, spoilt

import standfast as sf
from standfast.digests import digest

OLD = Path(samples.__file__).parent / "version_0_1_0"
KINDS = {"level_set": sf.LevelSet, "fresh": sf.FreshModels}


def loaded(folder: Path) -> Any:
    """What is in the folder, once shown and fingerprinted."""
    found = KINDS[folder.name].load(folder)
    assert repr(found)
    assert found.digest
    return found


def table_of(found: Any) -> pd.DataFrame:
    return found.candidates if isinstance(found, sf.LevelSet) else found.draws


@pytest.fixture(params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(OLD / request.param, tmp_path / request.param))


def signed(content: dict[str, Any]) -> dict[str, Any]:
    """As somebody writes it who knows how the fingerprint is made."""
    bare = {name: value for name, value in content.items() if name != "digest"}
    return {**bare, "digest": digest([json.dumps(bare, sort_keys=True)])}


def with_and_without_signature(content: dict[str, Any]) -> Iterator[Damage]:
    yield from some(edited(content), 100, seed=0)
    for name, damaged in some(edited(content), 200, seed=1):
        if isinstance(damaged, dict) and "@deep@" not in json.dumps(damaged):
            yield f"signed, {name}", signed(damaged)


# what version 0.1.0 wrote


def test_a_folder_of_version_0_1_0_is_read(folder: Path) -> None:
    found = loaded(folder)
    table = pd.read_csv(folder / "members.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(table_of(found), table)
    assert found.provenance["standfast"] == "0.1.0"
    assert "format" not in json.loads((folder / "models.json").read_text())


def test_it_is_written_and_read_again_with_the_same_fingerprint(folder: Path) -> None:
    found = loaded(folder)
    again = folder.parent / "again" / folder.name
    again.parent.mkdir()
    found.save(again)
    back = loaded(again)
    assert back.digest == found.digest
    assert back.provenance == found.provenance
    assert back.schema == found.schema
    pd.testing.assert_frame_equal(table_of(back), table_of(found))
    assert json.loads((again / "models.json").read_text())["format"] == 2
    name = "candidates" if isinstance(found, sf.LevelSet) else "draws"
    again_table = pd.read_csv(again / f"{name}.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(again_table, table_of(found))
    assert not (again / "members.csv").exists()


def test_fresh_models_without_a_model_come_back(tmp_path: Path) -> None:
    found = sf.FreshModels.load(OLD / "fresh")
    none = [sf.Part(part.name) for part in found.parts]
    sf.FreshModels(*none, found.epsilon, found.draws, found.schema).save(tmp_path / "fresh")
    assert len(loaded(tmp_path / "fresh")) == 0


# damage


def test_an_edited_header_is_read_or_refused_with_a_sentence(folder: Path) -> None:
    header = folder / "models.json"
    damages = with_and_without_signature(json.loads(header.read_text()))
    put = lambda damaged: header.write_text(as_text(damaged))  # noqa: E731
    assert raw_errors(damages, put, lambda: loaded(folder)) == []


def test_a_damaged_header_is_read_or_refused_with_a_sentence(folder: Path) -> None:
    header = folder / "models.json"
    damages = spoilt(header.read_bytes(), seed=2)
    assert raw_errors(damages, header.write_bytes, lambda: loaded(folder)) == []


def test_a_damaged_model_is_refused_with_a_sentence(folder: Path) -> None:
    file = folder / "001.txt"
    damages = spoilt(file.read_bytes(), seed=3, flips=20)
    assert raw_errors(damages, file.write_bytes, lambda: loaded(folder)) == []


@pytest.mark.parametrize("name", ["models.json", "000.txt"])
def test_what_is_no_file_is_refused_and_never_waited_for(folder: Path, name: str) -> None:
    assert hanging(folder / name, lambda: loaded(folder)) == []


def test_what_is_no_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    for path in (folder / "models.json", tmp_path / "gone", tmp_path / ("x" * 5000), Path("a\0b")):
        with pytest.raises(sf.InputError, match="is not a folder of models as standfast saves"):
            sf.LevelSet.load(path)


# sentences


def change(place: str, value: object) -> Callable[[dict[str, Any]], None]:
    def put(content: dict[str, Any]) -> None:
        *path, last = [int(part) if part.isdigit() else part for part in place.split("/")]
        found: Any = content
        for part in path:
            found = found[part]
        found[last] = value

    return put


LEVEL_SET = {
    change("members/risk/1", "abc"): "'risk' of candidate 2 is \"abc\" and must be a number of at ",
    change("members/risk", [0.1]): "'risk' has 1 and 'name' has 2 rows",
    change("members/inside/0", 1): "'inside' of candidate 1 is 1 and must be true or false",
    change("members", []): "'members' is a list of 0 and must be a table of columns",
    change("models/0/file", "../../x"): "'file' of model 1 is \"../../x\" and must be the plain na",
    change("models/0/file", "001.txt"): "the file '001.txt' stands for more than one model",
    change("models/1/position", -1): "'position' of model 2 is -1 and must be a whole number",
    change("models/1/position", 2): "001.txt' has 2 classes, and the header names number 3",
    change("models/1/threshold", float("nan")): "'threshold' of model 2 is NaN and must be a num",
    change("models/1/sha256", None): "'sha256' of model 2 is null and must be a fingerprint",
    change("models", []): "'models' is a list of 0 and must hold at least 1",
    change("about/names", ["a", "b"]): "it lists 2 models and says that there are 3",
    change("about/names/0", 3): "name 1 is 3 and must be a text",
    change("about/epsilon", "0.2"): "'epsilon' of 'about' is \"0.2\" and must be a number",
    change("about/provenance/risk", 3): "'risk' of 'provenance' of 'about' is 3 and must be a te",
    change("schema", "= x"): "models.json' is damaged: this is not valid TOML",
    change("kind", "a shoe"): "'kind' is \"a shoe\" and must be one of a level set, fresh models",
    change("format", 99): "holds format 99 and this standfast reads 2; it was written by a later",
    change("format", "1"): "'format' is \"1\" and must be a whole number",
}
FRESH = {
    change("about/sizes/certify", 3): "it lists 2 models and says that there are 4",
    change("about/sizes/certify", -1): "'certify' of 'sizes' of 'about' is -1 and must be a whole",
    change("about/sizes", {"search": 2}): "'choose' of 'sizes' of 'about' is missing",
    change("members/digest/1", None): "'digest' of draw 2 is null and must be a text",
}


@pytest.mark.parametrize(
    ("name", "spoil", "sentence"),
    [
        *(("level_set", spoil, sentence) for spoil, sentence in LEVEL_SET.items()),
        *(("fresh", spoil, sentence) for spoil, sentence in FRESH.items()),
    ],
    ids=[*LEVEL_SET.values(), *FRESH.values()],
)
def test_what_is_wrong_is_named_by_its_place(
    name: str, spoil: Callable[[dict[str, Any]], None], sentence: str, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(OLD / name, tmp_path / name))
    content = json.loads((folder / "models.json").read_text())
    spoil(content)
    (folder / "models.json").write_text(json.dumps(signed(content)))
    with pytest.raises(sf.InputError) as shown:
        loaded(folder)
    assert sentence in str(shown.value)
