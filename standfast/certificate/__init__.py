"""Certificates: how surely a model nobody has seen keeps the promises made."""

from standfast.certificate.certify import Certificate, certify
from standfast.certificate.lower_bound import lower_bound, models_needed
from standfast.certificate.scenario import Scenario, scenario, scenario_bound

__all__ = [
    "Certificate",
    "Scenario",
    "certify",
    "lower_bound",
    "models_needed",
    "scenario",
    "scenario_bound",
]
