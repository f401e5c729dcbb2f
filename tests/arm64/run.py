#!/usr/bin/env python3
"""Code for ARM64, made on any machine: it assembles, and lanes and panels are vectors of NEON.

usage: run.py DAGAZ PROGRAMS

PROGRAMS is the folder tests/programs.  Needs Clang for the assembler and for reading the code back;
skipped (77) without it.  Nothing is run.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# What each must have: one instruction on whole vectors, as LLVM's disassembler writes it.
VECTORS = {
    'product': ('entry main [n] [k] [m] (a: [n][k]f32) (b: [k][m]f32) : [n][m]f32 =\n'
                '  map (\\x -> map (\\y -> f32.sum (map2 (*) x y)) (transpose b)) a\n',
                r'fmla\s+v\d+\.4s'),
    'sum': ('entry main (xs: []f64) = f64.sum xs\n', r'fadd\s+v\d+\.2d'),
    'arg_max': ('entry main [n] (xs: [n]i32) =\n'
                '  reduce (\\(a, i) (b, j) -> if b > a then (b, j) else (a, i))\n'
                '         (i32.lowest, -1) (zip xs (map i32.i64 (iota n)))\n',
                r'(bsl|bit|bif)\s+v\d+\.16b'),
    'narrow': ('entry main (xs: []u8) (ys: []u8) = map2 (+) xs ys\n', r'add\s+v\d+\.16b'),
}
# Programs of many shapes: atomics, histograms, sorts, half floats, control flow, derivatives.
PROGRAMS = ['arrays_in_place', 'conversions_out_of_range', 'derivatives_of_histograms',
            'derivatives_of_reductions', 'loops', 'blocks_with_private_arrays']


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f'{" ".join(command)}: exit status {done.returncode}\n'
                         f'{done.stderr[-2000:]}')
    return done.stdout


def tool(name):
    return shutil.which(f'{name}-19') or shutil.which(name)


def object_code(dagaz, clang, program, cpu, folder):
    """The object file of a program, assembled from what Dagaz writes."""
    text = os.path.join(folder, 'program.s')
    made = os.path.join(folder, 'program.o')
    run([dagaz, 'build', '-w', f'--cpu={cpu}', '--emit=asm', program, '-o', text])
    run([clang, '--target=aarch64-linux-gnu', '-mcpu=neoverse-n1', '-c', text, '-o', made])
    return made


def main():
    dagaz, programs = sys.argv[1:]
    clang, disassembler = tool('clang'), tool('llvm-objdump')
    if not clang or not disassembler:
        print('no clang or llvm-objdump: skipped')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, instruction) in VECTORS.items():
            program = os.path.join(folder, f'{name}.fut')
            with open(program, 'w', encoding='utf-8') as file:
                file.write(text)
            for cpu in ['arm64', 'neoverse-n1']:
                made = object_code(dagaz, clang, program, cpu, folder)
                if not re.search(instruction, run([disassembler, '-d', made])):
                    print(f'{name}: nothing like `{instruction}` in the code for {cpu}')
                    return 1
        for name in PROGRAMS:
            object_code(dagaz, clang, os.path.join(programs, f'{name}.fut'), 'neoverse-n1', folder)
    print(f'{len(VECTORS)} programs in vectors, {len(PROGRAMS)} others assembled')
    return 0


if __name__ == '__main__':
    sys.exit(main())
