#!/usr/bin/env bash
# Builds the compiler and the runtime with address and undefined-behaviour sanitizers, and runs the
# file tests, then programs compiled in memory, on the CPU.  An argument limits the programs to
# those whose path matches it.  A full run takes an hour of two cores.
# usage: tests/sanitizers.sh [PATTERN]
set -euo pipefail
cd "$(dirname "$0")/.."

build=build-sanitized
cmake -S . -B "$build" -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_FLAGS=-O1 \
  -DCMAKE_C_FLAGS=-O1 -DDAGAZ_SANITIZE=ON >/dev/null
cmake --build "$build" --target dagaz file_tests fuzz_programs

# The IR of LLVM frees itself at exit or not at all; what a context keeps is for the unit tests.
export ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

failed=0
"$build/file_tests" tests/passes || failed=1

# Executables are linked without the sanitizers' runtime, so programs run inside the compiler: the
# fuzzer's children compile, run and compare in one process.
"$build/fuzz_programs" --seed=1 --programs=200 --targets=interpreter,cpu,sim --verify || failed=1
"$build/fuzz_programs" --seed=1 --programs=50 --targets=cpu --derivatives || failed=1

log=$(mktemp)
trap 'rm -f "$log"' EXIT
for program in tests/programs/*.fut; do
  [[ $program == *${1:-}* ]] || continue
  status=0
  "$build/dagaz" test --target=cpu "$program" >"$log" 2>&1 || status=$?
  if grep -qE 'AddressSanitizer|runtime error:|exit status 70' "$log" || [ "$status" -gt 1 ]; then
    failed=1
    printf '[FAIL] %s\n' "$program"
    cat "$log"
  fi
done
[ "$failed" -eq 0 ] && echo "sanitizers: no finding"
exit "$failed"
