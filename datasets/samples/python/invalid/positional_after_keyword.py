"""Moves files into folders by their extension."""

import shutil
from pathlib import Path


def target_folder(root: Path, file: Path) -> Path:
    return root / (file.suffix.lstrip(".").lower() or "none")


def tidy(root: Path, *, dry_run: bool = True) -> int:
    moved = 0
    for file in sorted(root.iterdir()):
        if not file.is_file():
            continue
        folder = target_folder(file=file, root)
        if not dry_run:
            folder.mkdir(exist_ok=True)
            shutil.move(file, folder / file.name)
        moved += 1
    return moved


print(tidy(Path(".")), "files")
