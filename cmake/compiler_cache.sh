#!/usr/bin/env bash
# Runs a compiler through ccache in such a way that it also hits in another clone, at another path:
# what lies in the clone is named relative to the build folder.  Headers count to the letter and one by
# one, those of a precompiled header too, which itself does not count: Clang writes full paths into it.
# usage: compiler_cache.sh SOURCE_FOLDER COMPILER ARGUMENT…    (in the build folder, by CMake)
export CCACHE_BASEDIR=$1 CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_PCH_EXTSUM=1
export CCACHE_SLOPPINESS=pch_defines,time_macros
shift
arguments=("${@//"$PWD/"/}")
for argument in "$@"; do
  if [[ $argument == *.pch && $last == -o ]]; then
    "$@" && echo "compare the headers" >"$argument.sum"
    exit
  fi
  last=$argument
done
exec ccache "${arguments[@]}"
