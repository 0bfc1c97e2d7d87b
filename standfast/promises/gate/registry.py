"""Candidates in an MLflow registry: loaded by alias, tagged with the verdict, the report logged."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from standfast.errors import InputError, first_line, listing

if TYPE_CHECKING:
    from standfast.promises.gate.report import GateReport

ADDRESS = re.compile(r"models:/(?P<name>[^@/]+)(?:@(?P<alias>[^@/]+)|/(?P<version>\d+))")
EXPERIMENT = "standfast gate"
TAG = "standfast.gate"
# what a registered model may be kept in, best first; a pickle needs consent
ENDINGS = (".skops", ".ubj", ".xgb", ".json", ".lgb", ".txt", ".onnx", ".pmml", ".pkl", ".joblib")
BESIDE = ("requirements.txt", "input_example.json", "serving_input_example.json")


@dataclass(frozen=True, eq=False)
class RegisteredModel:
    """A version of a registered model, by its address: models:/credit@challenger, models:/credit/7.

    `tracking_uri` says which MLflow; without it, MLFLOW_TRACKING_URI does as everywhere in MLflow.
    """

    name: str
    version: str
    address: str
    tracking_uri: str
    _client: Any

    @classmethod
    def find(cls, address: str, tracking_uri: str | None = None) -> "RegisteredModel":
        """The version that an address names."""
        match = ADDRESS.fullmatch(address)
        if match is None:
            raise InputError(
                f"'{address}' is not the address of a registered model; write it like "
                "models:/credit@challenger or models:/credit/7"
            )
        mlflow = _mlflow()
        uri = tracking_uri or mlflow.get_tracking_uri()
        try:
            client = mlflow.MlflowClient(tracking_uri=uri, registry_uri=uri)
            alias, number = match["alias"], match["version"]
            found = (
                client.get_model_version_by_alias(match["name"], alias)
                if alias
                else client.get_model_version(match["name"], number)
            )
        except Exception as error:
            raise InputError(
                f"MLflow at '{_public(uri)}' gives no '{address}': {first_line(error)}; check the "
                "name, the alias and --tracking-uri (or MLFLOW_TRACKING_URI)"
            ) from error
        return cls(match["name"], str(found.version), address, uri, client)

    def download(self, folder: Path) -> Path:
        """The model's file, fetched into a folder."""
        mlflow = _mlflow()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            source = self._client.get_model_version_download_uri(self.name, self.version)
            place = Path(
                mlflow.artifacts.download_artifacts(
                    artifact_uri=source, dst_path=str(folder), tracking_uri=self.tracking_uri
                )
            )
        except Exception as error:
            raise InputError(
                f"the files of '{self.address}' could not be fetched: {first_line(error)}"
            ) from error
        files = [place] if place.is_file() else sorted(place.rglob("*"))
        for ending in ENDINGS:
            for file in files:
                if file.suffix.lower() == ending and file.name not in BESIDE and file.is_file():
                    return file
        names = [file.name for file in files if file.is_file()]
        raise InputError(
            f"'{self.address}' holds no model file that is read ({listing(names, 9)}); log it as a "
            "skops file: mlflow.sklearn.log_model(model, serialization_format='skops')"
        )

    def record(self, report: "GateReport", folder: Path | str) -> str:
        """Tag the version with the verdict and the root, log the report's files; the run's id."""
        client = self._client
        try:
            known = client.get_experiment_by_name(EXPERIMENT)
            experiment = client.create_experiment(EXPERIMENT) if known is None else None
            run = client.create_run(experiment or known.experiment_id).info.run_id
            for name in ("kept", "at_risk", "broken"):
                number = report.numbers[name].value
                if number == number:
                    client.log_metric(run, name, number)
            client.log_metric(run, "promises", report.n)
            client.log_artifacts(run, str(folder))
            client.set_terminated(run)
            verdict = "passed" if report.passed else "held back"
            for tag, value in {
                TAG: verdict,
                f"{TAG}.on": report.on.isoformat(),
                f"{TAG}.root": report.root or "without a ledger",
                f"{TAG}.run": run,
            }.items():
                client.set_model_version_tag(self.name, self.version, tag, value)
        except Exception as error:
            raise InputError(
                f"the report was written, but MLflow at '{_public(self.tracking_uri)}' did not "
                f"take it: {first_line(error)}"
            ) from error
        return str(run)


def _mlflow() -> Any:
    try:
        import mlflow
        import mlflow.artifacts
    except ImportError as error:
        raise InputError(
            "models:/ addresses need MLflow: pip install 'standfast[mlflow]'"
        ) from error
    return mlflow


def _public(uri: str) -> str:
    """An address without the password that may stand in it."""
    return re.sub(r"//[^/@]*@", "//", uri)
