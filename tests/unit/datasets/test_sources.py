from pathlib import Path

import pytest

from standfast.datasets import give_me_some_credit, heloc
from standfast.errors import InputError


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the path '.*nowhere' does not exist.*twin\('heloc'\)"):
        heloc(tmp_path / "nowhere")


def test_a_folder_without_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no 'give_me_some_credit\.csv\.gz'"):
        give_me_some_credit(tmp_path)


def test_an_environment_that_points_nowhere_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDFAST_DATA", str(tmp_path / "gone"))
    with pytest.raises(InputError, match=r"STANDFAST_DATA '.*gone' does not exist"):
        heloc()


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "heloc.csv").write_text("")
    with pytest.raises(InputError, match=r"heloc\.csv' is empty; a table needs a header"):
        heloc(tmp_path)


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "heloc.csv").write_bytes(b"\x80\x81\xff\x00" * 100)
    with pytest.raises(InputError, match=r"heloc\.csv'"):
        heloc(tmp_path)


def test_a_failing_download_says_what_to_do_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STANDFAST_DATA", raising=False)
    # an empty cache, and a proxy at a port where nobody listens: a real failure on any machine
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    for name in ("https_proxy", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY", "HTTPS_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError) as caught:
        heloc()
    sentence = str(caught.value)
    assert sentence.startswith("cannot download heloc from OpenML (data set 46932")
    assert "set STANDFAST_DATA" in sentence
    assert "twin('heloc')" in sentence
    assert "\n" not in sentence
