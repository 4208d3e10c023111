"""Layered configuration: defaults, files, environment and command line."""

import argparse
import configparser
import json
import os, sys
import tempfile
from os import path as ospath, environ
from pathlib import Path
from typing import (
    Any,
    Mapping,
    MutableMapping as Mutable,
)

try:
    import tomllib
except ImportError:
    tomllib = None

PREFIX = "APP_"
DEFAULTS = {
    "server": {"host": "localhost", "port": 8080, "tls": False},
    "paths": {"cache": "~/.cache/app", "data": None},
    "limits": {**dict.fromkeys(("upload", "download"), 1 << 20), "clients": 64},
}


def merge(base: Mapping[str, Any], *others: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**base}
    for other in others:
        for key, value in other.items():
            if isinstance(value, Mapping) and isinstance(merged.get(key), Mapping):
                merged[key] = merge(merged[key], value)
            else:
                merged[key] = value
    return merged


def convert(text: str) -> Any:
    low = text.strip().lower()
    if low in {"yes", "true", "on"}:
        return True
    elif low in {"no", "false", "off"}:
        return False
    elif low in {"", "none", "null"}:
        return None
    for kind in (int, float):
        try:
            return kind(low)
        except ValueError:
            continue
    return text


def read_ini(file: Path) -> dict[str, Any]:
    parser = configparser.ConfigParser(interpolation=None)
    with file.open(encoding="utf-8") as stream:
        parser.read_file(stream)
    return {section: {k: convert(v) for k, v in parser[section].items()} for section in parser.sections()}


def read_toml(file: Path) -> dict[str, Any]:
    if tomllib is None: raise RuntimeError("no TOML support")
    with open(file, mode="rb") as stream: return tomllib.load(stream)


READERS = {".ini": read_ini, ".toml": read_toml, ".json": lambda f: json.loads(f.read_text())}


def from_environment(variables: Mapping[str, str] = environ) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in sorted(variables.items()):
        if not name.startswith(PREFIX):
            continue
        section, _, key = name[len(PREFIX):].lower().partition("_")
        result.setdefault(section, {})[key] = convert(value)
    return result


def load(*files, strict=False, **overrides):
    layers = []
    for file in map(Path, files):
        reader = READERS.get(file.suffix)
        if reader is None or not file.exists():
            if strict:
                raise FileNotFoundError(file)
            print("skipped", file, file=sys.stderr)
        else:
            layers.append(reader(file))
    return merge(DEFAULTS, *layers, from_environment({}), overrides)


def get(config, dotted, default=...):
    node = config
    for part in dotted.split("."):
        try:
            node = node[part]
        except (KeyError, TypeError):
            if default is ...:
                raise LookupError(dotted)
            return default
    return node


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="configuration files")
    parser.add_argument("--set", "-s", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args(argv)
    changes: Mutable = {}
    for item in options.set:
        (key, _, value) = item.partition("=")
        *sections, last = key.split(".")
        place = changes
        for section in sections: place = place.setdefault(section, {})
        place[last] = convert(value)
    with (
        tempfile.TemporaryDirectory() as folder,
        open(ospath.join(folder, "app.ini"), "w") as ini,
        open(os.path.join(folder, "app.json"), "w") as js,
    ):
        print("[server]", "port = 9090", "tls = on", sep="\n", file=ini, flush=True)
        json.dump({"limits": {"clients": 8}}, js); js.flush()
        config = load(*options.files, ini.name, js.name, **changes)
    with (open(os.devnull)) as nothing, open(os.devnull, "w"): assert not nothing.read()
    print(get(config, "server.port"), get(config, "limits.clients"), get(config, "no.such", None))
    return 0 if get(config, "server.tls") is True else 1


if __name__ == "__main__":
    sys.exit(main(["--set", "paths.data=/srv", "--set", "debug=yes"]))
