#!/usr/bin/env bash
# Installs what is missing, builds Dagaz, and shows it at work: a network trained from C with a
# gradient by `vjp`, a checked gradient of a mixture model, and a gradient in one GPU kernel.
# usage: ./demo.sh
#        DAGAZ=dagaz ./demo.sh     the same with a compiler that is installed
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n==> %s\n' "$*"; }

if [ -z "${DAGAZ:-}" ]; then
  ./install-dependencies.sh
  step "building the compiler"
  cmake --preset release -Wno-dev -DDAGAZ_TESTS=OFF >/dev/null
  cmake --build --preset release --target dagaz
fi
dagaz=${DAGAZ:-build/dagaz}
read -ra libraries <<<"$(pkg-config --libs dagaz 2>/dev/null || echo -lstdc++ -lm -ldl -lpthread)"

work=build/demo
mkdir -p "$work"

step "digits: dagaz build --emit=lib, then an ordinary C program that includes digits.h"
"$dagaz" build examples/digits/digits.fut --emit=lib -o "$work/digits"
cc -O2 -I"$work" examples/digits/main.c "$work/libdigits.a" "${libraries[@]}" -o "$work/digits"
gunzip -c examples/digits/digits.csv.gz | "$work/digits"

step "gmm: the gradient of a Gaussian mixture's likelihood on Fisher's iris, checked, then followed"
"$dagaz" build examples/gmm/gmm.fut --emit=lib -o "$work/gmm"
cc -O2 -I"$work" examples/gmm/main.c "$work/libgmm.a" "${libraries[@]}" -o "$work/gmm"
"$work/gmm" examples/gmm/iris.csv

step "hmlstm: how its gradient was made, and how many GPU kernels it takes"
"$dagaz" inspect examples/hmlstm/hmlstm.fut --stage=ad
"$dagaz" build examples/hmlstm/hmlstm.fut --target=cuda --emit=ptx -o "$work/hmlstm"
kernels=$(grep -cE '^\.visible \.entry gradient_seg' "$work/hmlstm.ptx" || true)
echo "the gradient entry is $kernels kernel(s) in $work/hmlstm.ptx"

step "done"
