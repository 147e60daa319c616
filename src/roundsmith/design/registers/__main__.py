"""Write the files that are made of the register map, or with --check only name the stale ones."""

import sys

from roundsmith.design.registers import writer


def main() -> None:
    """Write the stale files, or with --check only name them and exit with status 1."""
    stale = [p for p, text in writer.files().items() if not p.exists() or p.read_text() != text]
    for path in stale:
        print(f"stale: {path}")
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(writer.files()[path])
    sys.exit(1 if stale and "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
