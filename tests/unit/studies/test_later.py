"""People of a later time: whose they are, and the models they give the frontier."""

from dataclasses import replace

import pytest

import standfast as sf
from standfast.errors import InputError
from standfast.studies import Settings, study
from standfast.studies.advice import Judged
from standfast.studies.frontier import Frontier
from standfast.studies.scene import Scene
from standfast.studies.steps import Steps

from .conftest import TINY


@pytest.fixture(scope="module")
def after():
    return sf.datasets.twin("give_me_some_credit", n=400, seed=1)


def frontier_of(scene):
    return Frontier(Judged(scene, {}, {}))


@pytest.mark.parametrize("reference", ["linear", "forest"])
def test_models_of_later_people_are_the_reference_s_own_class(credit, after, reference, tmp_path):
    few = replace(TINY, fresh=3)
    scene = Scene(credit, reference, Settings(sizes=few, frontier=True), Steps(tmp_path), after)
    found = frontier_of(scene)
    assert [len(part) for part in found.later.parts] == [0, 0, 3]
    assert found.later.provenance["data_digest"] == after.digest
    assert found.later.provenance["family"] == found.fresh.provenance["family"]
    assert found.later.provenance["draws"] == found.fresh.provenance["draws"]
    assert found.fresh.provenance["data_digest"] == scene.train.digest
    assert not set(found.later.certify.digests) & set(found.fresh.certify.digests)


def test_other_later_people_are_another_step(credit, after, tmp_path):
    scene = Scene(credit, "linear", Settings(sizes=TINY), Steps(tmp_path), after)
    first = frontier_of(scene).later
    again = frontier_of(replace(scene, steps=Steps(tmp_path))).later
    assert again.digest == first.digest
    other = frontier_of(replace(scene, later=sf.datasets.twin("give_me_some_credit", 400, seed=2)))
    assert other.later.digest != first.digest


def test_without_later_people_there_are_no_such_models(credit, tmp_path):
    scene = Scene(credit, "linear", Settings(sizes=TINY), Steps(tmp_path))
    assert frontier_of(scene).later is None


def test_later_people_of_nobody_and_of_another_schema_are_refused(credit, after, tmp_path):
    with pytest.raises(InputError, match="given for 'heloc', which is not studied; there are"):
        study([credit], Settings(sizes=TINY), tmp_path, later={"heloc": after})
    heloc = sf.datasets.twin("heloc", 50)
    with pytest.raises(InputError, match="of twin:give_me_some_credit have another schema"):
        study([credit], Settings(sizes=TINY), tmp_path, later={"twin:give_me_some_credit": heloc})
    assert not list(tmp_path.iterdir())
