#!/usr/bin/env bash
# Installs what building Dagaz needs, from the distribution's packages (Debian 12 and 13,
# Ubuntu 24.04).  Does nothing when everything is there.
set -euo pipefail

packages=(
  clang-19 g++ cmake ninja-build ccache mold  # the build; g++ links programs
  re2c bison                    # lexer and parser generators
  llvm-19-dev libclc-19 zlib1g-dev libzstd-dev  # code generation, and mathematics for PTX
  libcli11-dev                  # the command line
  doctest-dev                   # unit tests
  libhwy-dev                    # sorting in vectors
  libboost-context-dev          # fibres of the simulated GPU
  nlohmann-json3-dev            # manifests, reports, the protocol of editors
  libmimalloc-dev               # memory of the compiler
  libcmark-dev                  # documentation comments
  libpng-dev                    # pictures of literate programs
  python3                       # the layering test
  python3-dev python3-numpy     # the Python package
  openmpi-bin libopenmpi-dev mpich libmpich-dev  # tests of programs with ranks, under both
  python3-mpi4py                # the same from Python
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "==> dependencies: all installed"
  exit 0
fi

run() { "$@"; }
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "run this as root, or install: ${missing[*]}" >&2; exit 1; }
  run() { sudo "$@"; }
fi
echo "==> installing: ${missing[*]}"
run apt-get update -qq
run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
