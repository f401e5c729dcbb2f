#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests; the last line counts them.
# usage: ./test.sh
#        DAGAZ_TEST_ROOTS=bookworm ./test.sh   and the packages, in an empty root of Debian 12
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n==> %s\n' "$*"; }

# Tests compile what they run.
export DAGAZ_CACHE=off

./install-dependencies.sh

step "building (release)"
cmake --preset release -Wno-dev -DDAGAZ_TESTS=ON \
  -DDAGAZ_TEST_ROOTS="${DAGAZ_TEST_ROOTS:-}" >/dev/null
cmake --build --preset release

passed=0
failed=0
skipped=0
# count NAME COMMAND...: runs a command that closes with `… N passed, M failed[, K skipped]`.
count() {
  step "$1"
  shift
  local log line
  log=$(mktemp)
  "$@" 2>&1 | tee "$log" || true
  line=$(grep -E '[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 || true)
  rm -f "$log"
  if [ -z "$line" ]; then
    failed=$((failed + 1))
    return
  fi
  # number WORD: the count that stands before WORD in the line, 0 if there is none.
  number() { grep -oE "[0-9]+ $1" <<<"$line" | tail -n 1 | grep -oE '[0-9]+' || echo 0; }
  passed=$((passed + $(number passed)))
  failed=$((failed + $(number failed)))
  skipped=$((skipped + $(number skipped)))
}

# ctest's own closing line, in the form counted above.
run_ctest() {
  local output total bad
  output=$(ctest --test-dir build --output-on-failure -j "$(nproc)" 2>&1) || true
  printf '%s\n' "$output"
  total=$(sed -nE 's/.*tests failed out of ([0-9]+).*/\1/p' <<<"$output")
  bad=$(sed -nE 's/.* ([0-9]+) tests failed out of.*/\1/p' <<<"$output")
  echo "ctest: $((${total:-0} - ${bad:-0})) passed, ${bad:-1} failed"
}

count "unit tests, layering, file tests" run_ctest
for target in interpreter cpu sim; do
  count "programs and examples on $target" build/dagaz test --verify --target=$target examples tests/programs
done
count "products on sim, in matrices of warps" \
  build/dagaz test --verify --target=sim --gpu=sm_80 tests/programs/products_*.fut \
    tests/programs/reads_in_boxes.fut tests/programs/gradients_of_windows.fut \
    tests/programs/rows_walked_in_step.fut
count "products on sim, of rounded factors" \
  build/dagaz test --verify --target=sim --gpu=sm_80 --tf32 tests/programs/products_of_floats.fut
count "programs on cpu, not optimised" build/dagaz test -O0 --target=cpu tests/programs
# What schedules make of a program does not depend on what LLVM makes of that.
for target in cpu sim; do
  count "programs on $target, random schedules" \
    build/dagaz test -O1 --random-plan=1 --target=$target tests/programs
done
count "programs of the benchmarks on cpu" build/dagaz test --verify --target=cpu bench/ad bench/gradbench
if [ -e /dev/nvidia0 ]; then
  count "programs and examples on cuda" build/dagaz test --target=cuda examples tests/programs
else
  printf '\n[SKIP] cuda: no device\n'
fi

printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
