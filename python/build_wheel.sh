#!/usr/bin/env bash
# Makes a wheel of the Python package with the compiler in it:
#   python/build_wheel.sh [FOLDER [BUILD]]
# The wheel is left in FOLDER (default: build/wheel), made of the build folder BUILD (default:
# build).  Needs what building Dagaz needs.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/wheel}
build=${2:-$root/build}

[ -f "$build/build.ninja" ] || (cd "$root" && cmake --preset release -B "$build" -Wno-dev)
ninja -C "$build" dagaz dagaz_codegen_llvm dagaz_program_main dagaz_server_main \
  dagaz_runtime_sim dagaz_python_package
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -r "$build/python/dagaz" "$stage/dagaz"
cmake --install "$build" --prefix "$stage/dagaz/_compiler" --strip >/dev/null
python3 "$root/python/make_wheel.py" "$stage" "$out"
