#!/usr/bin/env python3
"""Installs a build to an empty folder; the compiler there must build and run a program.

usage: run.py BUILD_FOLDER
"""
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = "entry dot [n] (xs: [n]f64) (ys: [n]f64) = f64.sum (map2 (*) xs ys)\n"


def main():
    build = sys.argv[1]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DAGAZ_")}

    def run(*command, stdin=""):
        return subprocess.run(command, input=stdin, env=environment, cwd=work, check=True,
                              capture_output=True, text=True, timeout=300).stdout

    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        run("cmake", "--install", build, "--prefix", str(work / "usr"))
        dagaz = str(work / "usr" / "bin" / "dagaz")
        (work / "dot.fut").write_text(PROGRAM)
        for target in ("cpu", "sim", "interpreter"):
            found = run(dagaz, "run", "dot.fut", "--target", target, "-e", "dot",
                        stdin="[1.0, 2.0] [3.0, 4.0]")
            if found.strip() != "11.0f64":
                sys.exit(f"installed compiler, target {target}: {found!r}")
        run(dagaz, "build", "dot.fut")
        found = run("./dot", "-e", "dot", stdin="[1.0, 2.0] [3.0, 4.0]")
        if found.strip() != "11.0f64":
            sys.exit(f"program of the installed compiler: {found!r}")


if __name__ == "__main__":
    main()
