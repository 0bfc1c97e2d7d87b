"""What a model from a file may not bring along: settings that do more than shape the model.

Such a setting is plain data, so that no type in the file has to be trusted for it; yet fitting the
model again would obey it: read and write a cache in a folder that the file names, start processes,
open a port, call what is registered. Here is the list of what is lost. Every other setting is kept.
"""

import inspect
from collections.abc import Mapping
from typing import Any

from standfast.readers.sound_trees import parts

# lost whatever the library, and set back to the library's default
LOST = frozenset(
    {"memory"}  # a cache of fitted steps: joblib unpickles what it finds in that folder
    | {"n_jobs", "nthread", "nthreads", "n_threads", "num_thread", "num_threads", "thread_count"}
    | {"pre_dispatch"}  # an expression that older versions of joblib evaluate
    | {"verbose", "verbosity", "verbose_eval", "silent", "logging_level", "metric_period"}
    | {"callback", "callbacks"}  # called while fitting
)

# lost in one library, where the same word may mean something else elsewhere
LOST_IN: dict[str, frozenset[str]] = {
    "catboost": frozenset(
        {"train_dir", "name", "allow_writing_files", "save_snapshot", "snapshot_file"}
        | {"snapshot_interval", "input_borders", "output_borders", "metadata"}
    ),
    # files to read and write, machines to talk to; all the names LightGBM knows them by
    "lightgbm": frozenset(
        {"config", "config_file", "task", "task_type", "data", "train", "train_data"}
        | {"train_data_file", "data_filename", "valid", "test", "valid_data", "valid_data_file"}
        | {"test_data", "test_data_file", "valid_filenames", "input_model", "model_input"}
        | {"model_in", "output_model", "model_output", "model_out", "snapshot_freq", "save_period"}
        | {"output_result", "predict_result", "prediction_result", "predict_name", "name_pred"}
        | {"prediction_name", "pred_name", "convert_model", "convert_model_file"}
        | {"convert_model_language", "save_binary", "is_save_binary", "is_save_binary_file"}
        | {"forcedsplits_filename", "fs", "forced_splits_filename", "forced_splits_file"}
        | {"forced_splits", "forcedbins_filename", "initscore_filename", "parser_config_file"}
        | {"num_machines", "num_machine", "machines", "workers", "nodes", "local_listen_port"}
        | {"local_port", "port", "time_out", "machine_list_filename", "machine_list_file"}
        | {"machine_list", "mlist"}
    ),
}

# lost if they are code of somebody's own instead of the name of one of the library's measures
LOST_UNLESS_NAMED = frozenset({"scoring", "eval_metric", "custom_metric", "custom_loss"})

# lost with these values: a vectorizer would take what it is asked about for names of files
LOST_VALUES: dict[str, tuple[str, ...]] = {"input": ("filename", "file")}

# what a library must be given so that it neither prints nor writes files of its own accord
QUIET: dict[str, dict[str, Any]] = {
    "catboost": {"allow_writing_files": False, "logging_level": "Silent"},
    "lightgbm": {"verbose": -1},
    "xgboost": {"verbosity": 0},
}


def inert(model: Any) -> Any:
    """The model itself, without the settings that act, nor those of any estimator inside it.

    >>> from sklearn.pipeline import make_pipeline
    >>> inert(make_pipeline("passthrough", memory="cache", verbose=True))
    Pipeline(steps=[('passthrough', 'passthrough')])
    """
    for part in parts(model):
        if hasattr(part, "get_params") and hasattr(part, "__dict__") and not inspect.isclass(part):
            _reset(part)
    return model


def _reset(part: Any) -> None:
    signature = _signature(type(part))
    libraries = {kind.__module__.partition(".")[0] for kind in type(part).__mro__}
    lost = LOST.union(*(LOST_IN[one] for one in libraries & set(LOST_IN)))
    own, beyond = vars(part), _beyond(part)
    for name in list(beyond):
        if _acts(name, beyond[name], lost):
            del beyond[name]
            if name not in signature:
                own.pop(name, None)
    for name in signature.keys() & own.keys():
        if _acts(name, own[name], lost):
            default = signature[name].default
            own[name] = None if default is inspect.Parameter.empty else default
    for one in libraries & set(QUIET):
        for name, value in QUIET[one].items():
            (own if name in signature.keys() & own.keys() else beyond)[name] = value


def _signature(kind: type) -> dict[str, inspect.Parameter]:
    """What a class takes when it is made; XGBoost's classifier hands most on to its ancestors."""
    found: dict[str, inspect.Parameter] = {}
    for ancestor in reversed(kind.__mro__):
        if "__init__" in vars(ancestor) and ancestor is not object:
            found |= inspect.signature(vars(ancestor)["__init__"]).parameters
    return found


def _beyond(part: Any) -> dict[str, Any]:
    """The settings a part keeps in a dictionary: LightGBM's and XGBoost's further ones, CatBoost's.

    A new empty dictionary if there is none.
    """
    held = (vars(part).get(name) for name in ("_other_params", "kwargs", "_init_params"))
    return next((one for one in held if isinstance(one, dict)), {})


def _acts(name: str, value: Any, lost: frozenset[str]) -> bool:
    if name in LOST_UNLESS_NAMED:
        return not _named(value)
    if name in LOST_VALUES:
        return value in LOST_VALUES[name]
    return name in lost


def _named(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_named, value.values()))
    if isinstance(value, list | tuple | set):
        return all(map(_named, value))
    return value is None or isinstance(value, str)
