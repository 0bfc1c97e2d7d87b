"""Exceptions: who gets one until when, what it risks, and when it ends."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.promises.repair import broken_by, honour


def dated(promises, days):
    ends = pd.Timestamp("2027-01-01") + pd.to_timedelta(days, unit="D")
    return replace(promises, facts=promises.facts.assign(valid_until=ends))


def test_every_broken_promise_gets_an_exception_with_the_candidates_own_risk(promised):
    found = honour(promised.promises, promised.g)
    broken = broken_by(promised.g, promised.promises)
    p = promised.g.prediction(promised.promises.point)
    assert found.exceptions.index.tolist() == np.flatnonzero(broken).tolist()
    assert np.allclose(found.exceptions["risk"], 1 - p[broken])
    assert found.summary["expected_bad"] == pytest.approx((1 - p[broken]).sum())
    assert found.summary["mean_risk"] > 0.5 > found.summary["kept_risk"]
    assert found.summary["without_end"] == found.summary["exceptions"]
    assert not len(found.expiry)
    assert "will end badly" in found.sentence


def test_the_expiry_curve_counts_what_is_open_after_each_day(promised):
    days = np.arange(len(promised.promises)) % 5
    found = honour(dated(promised.promises, days), promised.g)
    until = found.exceptions["until"]
    for day, row in found.expiry.iterrows():
        assert row["open"] == (until > day.tz_localize(None)).sum()
        risk = found.exceptions["risk"][until > day.tz_localize(None)]
        assert row["expected_bad"] == pytest.approx(risk.sum())
    assert found.expiry["open"].iloc[-1] == 0
    assert found.expiry["ended"].sum() == found.summary["exceptions"]


def test_promises_that_have_ended_need_no_exception(promised):
    days = np.arange(len(promised.promises)) % 5
    promises = dated(promised.promises, days)
    found = honour(promises, promised.g, on="2027-01-04")
    assert found.summary["promises"] == (days >= 3).sum()
    assert (found.exceptions["until"] >= pd.Timestamp("2027-01-04")).all()
    zoned = honour(promises, promised.g, on=pd.Timestamp("2027-01-04", tz="UTC"))
    assert zoned.exceptions.equals(found.exceptions)


def test_a_model_without_probability_says_nothing_about_risk(promised):
    g = sf.Linear([0.0, 0.0, 0.0, 1.0], -100.0)
    found = honour(promised.promises, g)
    assert found.summary["exceptions"] == len(promised.promises)
    assert np.isnan(found.summary["mean_risk"])
    assert "has no probability" in found.sentence


def test_without_broken_promises_no_exception_is_needed(promised):
    found = honour(promised.promises, promised.f)
    assert not len(found.exceptions)
    assert found.summary["expected_bad"] == 0
    assert "no exception is needed" in found.sentence


@pytest.mark.parametrize("on", ["yesterday-ish", None])
def test_a_date_must_be_one(promised, on):
    with pytest.raises(sf.InputError, match="give a date"):
        honour(promised.promises, promised.g, on=on or pd.NaT)
