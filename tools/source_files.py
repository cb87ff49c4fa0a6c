# SPDX-License-Identifier: Apache-2.0
"""The files of the project, as the checks see them: what Git tracks, or would track once added."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPP_SUFFIXES = {".h", ".cpp", ".def"}


def project_files(root: Path = ROOT) -> list[Path]:
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout
    files = {root / name for name in listed.split("\0") if name}
    return sorted(path for path in files if path.is_file() and not path.is_symlink())


def cpp_files(root: Path = ROOT) -> list[Path]:
    return [path for path in project_files(root) if path.suffix in CPP_SUFFIXES]
