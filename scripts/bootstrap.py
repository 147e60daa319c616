"""Set up the Python environment of this repository; needs nothing but Python 3.11.

Finds uv, or fetches the pinned one from PyPI into `.uv`, then lets it install the locked
packages into `.venv`. Works on machines that have neither pip nor the venv module.
"""

import hashlib
import html
import io
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[1]
UV_VERSION = "0.13.9"
INDEX = "https://pypi.org/simple/uv/"
UV = ROOT / ".uv" / f"uv-{UV_VERSION}"

# SHA-256 of the wheels of that version, by machine.
WHEELS = {
    "x86_64": "d7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19",
    "aarch64": "5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe",
}


def fail(sentence: str) -> NoReturn:
    """Print one sentence and stop with status 2."""
    print(f"error: {sentence}", file=sys.stderr)
    raise SystemExit(2)


def find_uv() -> Path:
    """Return uv: the one on PATH when it is recent enough, else our own copy."""
    if UV.exists():
        return UV
    found = shutil.which("uv")
    if found:
        version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
        numbers = version.split()[1].split(".") if len(version.split()) > 1 else ["0"]
        if [int(n) for n in numbers[:2]] >= [int(n) for n in UV_VERSION.split(".")[:2]]:
            return Path(found)
    fetch_uv()
    return UV


def fetch_uv() -> None:
    """Fetch the wheel of uv from PyPI, check its hash, and keep the program in it."""
    machine = platform.machine()
    if platform.system() != "Linux" or machine not in WHEELS:
        fail(f"no pinned uv for {platform.system()} on {machine}; install uv {UV_VERSION} by hand.")
    print(f"fetching uv {UV_VERSION} from PyPI", flush=True)
    try:
        with urllib.request.urlopen(INDEX) as answer:
            page = answer.read().decode()
        link = re.search(rf'href="([^"#]+)#sha256={WHEELS[machine]}"', page)
        if link is None:
            fail(f"PyPI lists no uv {UV_VERSION} with the pinned hash; install it by hand.")
        with urllib.request.urlopen(urllib.parse.urljoin(INDEX, html.unescape(link[1]))) as answer:
            wheel = answer.read()
    except OSError as error:
        fail(f"uv cannot be fetched from PyPI ({error}); install uv {UV_VERSION} by hand.")
    if hashlib.sha256(wheel).hexdigest() != WHEELS[machine]:
        fail("the wheel of uv from PyPI has another hash than the pinned one.")
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        member = next(n for n in archive.namelist() if n.endswith("/scripts/uv"))
        UV.parent.mkdir(exist_ok=True)
        scratch = UV.with_suffix(".part")
        scratch.write_bytes(archive.read(member))
    scratch.chmod(scratch.stat().st_mode | stat.S_IXUSR)
    scratch.replace(UV)


def main() -> None:
    """Install the locked packages; the arguments go to `uv sync`."""
    if sys.version_info < (3, 11):
        fail(f"Roundsmith needs Python 3.11 or newer; this is {platform.python_version()}.")
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    command = [str(find_uv()), "sync", "--locked", "--python", sys.executable, *sys.argv[1:]]
    status = subprocess.run(command, cwd=ROOT, env=environment).returncode
    if status != 0:
        fail("the packages could not be installed; the lines above say why.")
    (ROOT / ".venv" / ".ready").touch()


if __name__ == "__main__":
    main()
