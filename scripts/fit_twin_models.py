"""Fit the models that the workbench opens without data, and keep them in the package.

python scripts/fit_twin_models.py
"""

from pathlib import Path
from typing import Any

from standfast.workbench import twin


def main() -> None:
    """Run the recipe, and write its models with their shares of mistakes."""
    space: dict[str, Any] = {}
    exec(compile(twin.RECIPE, "recipe.py", "exec"), space)
    test, estimators = space["test"], space["estimators"]
    risks = [float((e.predict(test.table) != test.labels).mean()) for e in estimators.values()]
    file = Path(twin.__file__).with_name(twin.FILE)
    file.write_text(twin.written(space["models"], risks), encoding="utf-8")
    print(f"{file}: {len(file.read_bytes()):,} bytes, mistakes {risks}")


if __name__ == "__main__":
    main()
