"""Writes `src/medialog/_models.py` and `_methods.py` from `contract.json`, which `npm run contract` makes, and `_client.py`
from `_async_client.py`.

Needs `datamodel-code-generator` of the version in pyproject.toml. With `--check` it writes nothing and fails where a file
is older than the contract.
"""

import json
import keyword
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE / "src" / "medialog"

def main() -> int:
    contract = json.loads((HERE / "contract.json").read_text())
    made = {
        "_models.py": models(contract),
        "_methods.py": methods(contract["operations"]),
        "_client.py": synchronous((PACKAGE / "_async_client.py").read_text()),
    }
    old = [name for name, text in made.items() if not is_same(PACKAGE / name, text)]
    if "--check" in sys.argv:
        for name in old:
            print(f"{name} is older than the contract: `python generate.py` writes it anew.")
        return 1 if old else 0
    for name in old:
        (PACKAGE / name).write_text(made[name])
    return 0


def is_same(path: Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


def models(contract: dict) -> str:
    """The definitions as types of dictionaries; words of the language get an underscore at their end."""
    definitions = {name: without_keywords(schema) for name, schema in contract["definitions"].items()}
    for operation in contract["operations"]:
        # Ids of the path may stand alone before the rest.
        ids = path_names(operation)
        schema = definitions[operation["input"]]
        if ids and "required" in schema:
            schema["required"] = [name for name in schema["required"] if name not in ids]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "contract.json"), Path(folder, "models.py")
        source.write_text(json.dumps({"$defs": definitions}))
        command = [sys.executable, "-m", "datamodel_code_generator"]
        options = {
            "--input": source,
            "--input-file-type": "jsonschema",
            "--output": target,
            "--output-model-type": "typing.TypedDict",
            "--target-python-version": "3.10",
            "--enum-field-as-literal": "all",
            "--formatters": "builtin",
            "--custom-file-header": "# Made from the contract by `python generate.py`: not to be changed by hand.",
        }
        flags = ["--use-union-operator", "--use-standard-collections", "--use-schema-description", "--disable-timestamp"]
        words = [str(word) for pair in options.items() for word in pair]
        subprocess.run([*command, *words, *flags], check=True)
        return target.read_text()


def without_keywords(schema: object) -> object:
    if isinstance(schema, list):
        return [without_keywords(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {name: without_keywords(part) for name, part in schema.items()}
    if isinstance(schema.get("properties"), dict):
        changed["properties"] = {safe(name): part for name, part in changed["properties"].items()}
        if "required" in schema:
            changed["required"] = [safe(name) for name in schema["required"]]
    return changed


def safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def synchronous(text: str) -> str:
    """The same without waiting, as httpcore makes its own."""
    for pattern, replacement in SYNCHRONOUS:
        text = re.sub(pattern, replacement, text)
    return text


SYNCHRONOUS = [
    (r'^"""The client that is awaited.*?"""', '"""The client that waits. Made from `_async_client.py` by `python generate.py`."""'),
    (r"from asyncio import sleep\n", ""),
    (r"(from contextlib .*\n)", r"\1from time import sleep\n"),
    (r"for line in response.aiter_lines\(\)", "for line in response.iter_lines()"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsync(Medialog|Methods|Iterator|Generator|Client)\b", r"\1"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\b__a(enter|exit)__", r"__\1__"),
    (r"\.a(close|read)\(\)", r".\1()"),
]


def path_names(operation: dict) -> list[str]:
    return re.findall(r"\{(\w+)\}", operation["declared"]["path"])


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def methods(operations: list) -> str:
    table = {operation["id"]: operation["declared"] for operation in operations}
    lines = [
        "# Made from the contract by `python generate.py`: not to be changed by hand.",
        "from __future__ import annotations",
        "",
        "from collections.abc import AsyncIterator, Iterator, Mapping",
        "from typing import Any",
        "",
        "from typing_extensions import Unpack",
        "",
        "from . import _models as models",
        "",
        "OPERATIONS: dict[str, dict[str, Any]] = " + pretty(table),
    ]
    for is_async in (False, True):
        lines += ["", "", *class_of(operations, is_async)]
    return "\n".join(lines) + "\n"


def pretty(table: dict) -> str:
    rows = [f"    {name!r}: {declared!r}," for name, declared in table.items()]
    return "\n".join(["{", *rows, "}"])


def class_of(operations: list, is_async: bool) -> list[str]:
    name, define, wait = ("AsyncMethods", "async def", "await ") if is_async else ("Methods", "def", "")
    iterator = "AsyncIterator" if is_async else "Iterator"
    lines = [f"class {name}:", f'    """One method for each operation of the HTTP API{", awaited" if is_async else ""}."""', ""]
    lines += [f"    {define} _call(self, operation: str, given: Mapping[str, Any], ids: tuple[str, ...] = ()) -> Any:", "        raise NotImplementedError", ""]
    iterates = "operation: str, given: Mapping[str, Any], ids: tuple[str, ...] = ()"
    lines += [f"    def _iterate(self, {iterates}) -> {iterator}[Any]:", "        raise NotImplementedError"]
    for operation in operations:
        if "data" not in operation:
            continue
        told = text_of(operation)
        given = f"**given: Unpack[models.{operation['input']}]"
        # A choice between several forms is given as one dictionary.
        if operation["input"].endswith("Request"):
            given = f"given: models.{operation['input']}"
        ids = ""
        if path_names(operation):
            given, ids = f"*ids: str, {given}", ", ids"
        own = snake(operation["id"])
        lines += ["", f"    {define} {own}(self, {given}) -> models.{operation['data']}:", *told]
        lines.append(f"        return {wait}self._call({operation['id']!r}, given{ids})")
        if "entries" in operation["declared"]:
            lines += ["", f"    def iter_{own}(self, {given}) -> {iterator}[dict[str, Any]]:"]
            lines += [f'        """Every entry of `{own}`, page by page as they are asked for."""']
            lines.append(f"        return self._iterate({operation['id']!r}, given{ids})")
    return lines


def text_of(operation: dict) -> list[str]:
    text = operation["summary"] + "." + (f"\n\n        {operation['description']}" if "description" in operation else "")
    return [f'        """{text}"""']


if __name__ == "__main__":
    sys.exit(main())
