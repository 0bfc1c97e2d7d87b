"""certify: what it counts, what it says, and what it refuses."""

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import standfast as sf
from standfast.certificate import certify
from standfast.rivals import Part

here = runpy.run_path(str(Path(__file__).with_name("conftest.py")))
advice, draws, PEOPLE, SCHEMA = here["advice"], here["draws"], here["PEOPLE"], here["SCHEMA"]


def test_each_person_gets_the_bound_that_solves_the_binomial_tail(world):
    models = draws(59)
    found = certify(world.recs, models)
    Y = world.recs.counterfactual.to_numpy(dtype=float)
    for i, person in enumerate(world.recs.index):
        row = found.people.loc[person]
        if not row["advised"]:
            assert np.isnan(row["lower"])
            continue
        k = sum(bool(g.accepts(Y[i : i + 1])[0]) for g in models)
        assert row["kept"] == k
        # by definition: at p = lower, k or more successes have probability β
        assert binom.sf(k - 1, 59, row["lower"]) == pytest.approx(0.05)


def test_nobody_is_dropped_and_who_has_no_promise_has_no_certificate(world):
    found = certify(world.recs, draws(59))
    frame = found.to_frame()
    assert frame.index.equals(PEOPLE.index)
    assert not frame.loc["d", "advised"]
    assert frame.loc["d", "sentence"] == (
        "No promise, no certificate: nothing to change: the model accepts already."
    )
    assert pd.isna(frame.loc["d", "kept"])
    assert found.n == frame["advised"].sum()


def test_overall_counts_models_and_never_pools_people(world):
    # 40 models keep every promise, 19 none: pooled shares would look like 40/59 of many trials
    models = [sf.Linear([1.0], -2.5 + 0.001 * k) for k in range(1, 41)]
    models += [sf.Linear([1.0], -50.0 - k) for k in range(19)]
    found = certify(world.recs, models)
    assert found.models["enough"].sum() == 40
    assert set(found.models["transfer"]) == {0.0, 1.0}
    assert binom.sf(39, 59, found.lower) == pytest.approx(0.05)
    assert np.allclose(found.people["lower"].dropna(), found.lower)


def test_a_share_of_exactly_tau_is_enough(world):
    found = certify(world.recs, draws(29), tau=1.0)
    assert (found.models["enough"] == (found.models["transfer"] == 1.0)).all()
    assert found.models["enough"].any()


def test_simultaneous_certificates_divide_the_risk_among_the_promises(world):
    models = draws(299, spread=0.1, centre=-2.4)
    one, all_ = (certify(world.recs, models, simultaneous=both) for both in (False, True))
    n = one.n
    alone = certify(world.recs, models, confidence=1 - 0.05 / n)
    shown = all_.people["lower"].dropna()
    assert (shown < one.people["lower"].dropna()).all()
    assert (shown == alone.people["lower"].dropna()).all()
    assert all_.lower == one.lower
    assert "for everybody at once" in all_.sentences()["a"]


def test_sentences_round_down_and_know_singular_and_plural(world):
    found = certify(world.recs, [sf.Linear([1.0], -2.5 + 0.001 * k) for k in range(1, 60)])
    assert found.sentences()["a"] == (
        "At 95 % confidence at least 95 % of models of this kind would keep this promise "
        "(59 of 59 models did)."
    )
    assert "keeps at least 90 % of the 3 promises with probability at least 95 %" in found.sentence
    single = sf.recommend(
        sf.MinimalCost(SCHEMA, sf.Percentiles.fit(PEOPLE)), world.reference, PEOPLE.loc[["a"]]
    )
    shown = certify(single, [sf.Linear([1.0], -2.0)], validity=0.04)
    assert "of the promise with" in shown.sentence
    assert "(1 of 1 model did)" in shown.sentence
    assert "n_E = 1 of 1 people, 1 model," in repr(shown)


def test_a_model_the_search_used_is_refused(world):
    with pytest.raises(sf.InputError, match=r"'model 5'.*has used this model"):
        certify(world.recs, [*draws(5), world.reference, *draws(5, seed=1)])


def test_models_named_as_seen_are_refused_however_they_are_given(world):
    part = Part("certify", draws(29))
    for seen in (part, [part[3]], [Part("search", part[:2])], sf.Unanimous(part), [part[0].digest]):
        with pytest.raises(sf.InputError, match="cannot certify"):
            certify(world.recs, part, seen=seen)
    assert certify(world.recs, part, seen=[Part("search", draws(3, seed=9))]).lower > 0
    with pytest.raises(sf.InputError, match="not a fingerprint"):
        certify(world.recs, part, seen=["fresh"])
    with pytest.raises(sf.InputError, match="seen holds an int"):
        certify(world.recs, part, seen=[3])


def test_parts_to_search_and_to_choose_do_not_certify(world):
    for name in ("search", "choose"):
        with pytest.raises(sf.InputError, match=f"the part '{name}'"):
            certify(world.recs, Part(name, draws(29)))


def test_advice_under_several_models_needs_to_know_which(world):
    several = advice(sf.Unanimous([sf.Linear([1.0], -1.5), sf.Linear([1.0], -2.5)]))
    assert any(1 in models for models in several.results["binding"])
    origin = several.provenance
    unknown = tuple(replace(model, digest="") for model in origin.models)
    several = replace(several, provenance=replace(origin, models=unknown))
    with pytest.raises(sf.InputError, match=r"pass them as seen="):
        certify(several, draws(29))
    assert certify(several, draws(29), seen=[sf.Linear([1.0], -1.5)]).n == 3
    known = tuple(replace(model, digest=world.reference.digest) for model in origin.models)
    named = replace(several, provenance=replace(origin, models=known))
    assert certify(named, draws(29)).n == 3
    with pytest.raises(sf.InputError, match="cannot certify"):
        certify(named, [*draws(28), world.reference])


def test_advice_unanimous_over_the_certifying_models_is_refused():
    models = draws(8)
    recs = advice(sf.Unanimous(models))
    with pytest.raises(sf.InputError):
        certify(recs, models)


def test_twins_count_in_a_part_and_are_refused_in_a_list(world):
    models = [*draws(28), draws(28)[0]]
    with pytest.raises(sf.InputError, match="are the same model, which counts once"):
        certify(world.recs, models)
    found = certify(world.recs, Part("certify", models))
    assert len(found.models) == 29
    assert found.note == (
        "1 of the 29 draws came out like another one; as independent draws each counts"
    )


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        ([], "there is no model to certify with"),
        (3, "the certifying models are an int"),
        ([1, 2], "'model 0' is an int, not a score"),
        ([sf.Linear([1.0, 2.0], 0.0)], "reads 2 inputs and the people have 1"),
    ],
)
def test_what_cannot_certify_is_refused_with_a_sentence(world, models, sentence):
    with pytest.raises(sf.InputError, match=sentence):
        certify(world.recs, models)


def test_too_few_models_are_told_how_many_it_takes(world):
    with pytest.raises(sf.InputError, match=r"4 models certify at most 47\.2 % even if all.*"):
        certify(world.recs, draws(4))
    with pytest.raises(
        sf.InputError, match=r"takes 59; draw more \(29 for 0\.9, 59 for 0\.95, 299"
    ):
        certify(world.recs, draws(29), validity=0.95)
    with pytest.raises(sf.InputError, match="1 model certifies at most 5 %"):
        certify(world.recs, draws(1))


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1, "0.95", True, np.nan])
def test_a_confidence_out_of_range_is_refused(world, confidence):
    with pytest.raises(sf.InputError, match="confidence is"):
        certify(world.recs, draws(29), confidence)


@pytest.mark.parametrize("tau", [0.0, 1.1, "all", np.nan])
def test_a_tau_out_of_range_is_refused(world, tau):
    with pytest.raises(sf.InputError, match="tau is"):
        certify(world.recs, draws(29), tau=tau)


def test_what_is_no_advice_is_refused(world):
    with pytest.raises(sf.InputError, match="expected Recommendations"):
        certify(world.recs.to_frame(), draws(29))
    nobody = sf.recommend(
        sf.MinimalCost(SCHEMA, sf.Percentiles.fit(PEOPLE)), sf.Linear([1.0], 5.0), PEOPLE
    )
    with pytest.raises(sf.InputError, match="no promise to certify"):
        certify(nobody, draws(29))


def test_fresh_models_certify_with_their_third_part():
    from sklearn.tree import DecisionTreeClassifier

    data = sf.datasets.twin("heloc", n=600, seed=0)
    fresh = sf.fresh_models(
        DecisionTreeClassifier(max_depth=3, min_samples_leaf=20),
        data,
        draws={"max_depth": [2, 3, 4]},
        sizes={"search": 3, "choose": 0, "certify": 10},
        epsilon=0.3,
    )
    best = sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table))
    recs = sf.recommend(best, sf.Unanimous(fresh.search), data.table.head(40))
    found = certify(recs, fresh.certify, seen=fresh)
    assert found.n > 0
    assert len(found.models) == 10
    with pytest.raises(sf.InputError, match="third part"):
        certify(recs, fresh)
    with pytest.raises(sf.InputError, match="cannot certify"):
        certify(recs, list(fresh.search) + list(fresh.certify), seen=[fresh.search])
