#!/usr/bin/env python3
"""Programs that several ranks run together (docs/ranks.md), under each MPI that is installed.

usage: run.py DAGAZ FOLDER [-n RANKS…]
Runs the test blocks of FOLDER with 1, 2, 3, 4 and 7 ranks, everything shared that can be.
Exit status 77 where there is no MPI.
"""
import argparse
import os
import shutil
import subprocess
import sys

# Sharing must be right also where it does not pay.
SHARE_ALL = ['--tune', 'rank_element=0', '--tune', 'rank_message=0']


def implementations():
    """(name, compiler, launcher) of each MPI: Debian installs both side by side."""
    found = []
    for name, options in ('openmpi', ' --oversubscribe'), ('mpich', ''):
        if shutil.which(f'mpicc.{name}') and shutil.which(f'mpirun.{name}'):
            found.append((name, f'mpicc.{name}', f'mpirun.{name}{options}'))
    if not found and shutil.which('mpicc') and shutil.which('mpirun'):
        found.append(('mpi', 'mpicc', 'mpirun'))
    return found


def environment(compiler, launcher):
    """Everything on this machine and within it; the tests may run as root."""
    return dict(os.environ, MPICC=compiler, MPIRUN=launcher, OMPI_ALLOW_RUN_AS_ROOT='1',
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_btl='self,vader',
                OMPI_MCA_rmaps_base_oversubscribe='1', DAGAZ_CACHE='off')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('dagaz')
    parser.add_argument('folder')
    parser.add_argument('-n', '--ranks', nargs='*', type=int, default=[1, 2, 3, 4, 7])
    arguments = parser.parse_args()
    found = implementations()
    if not found:
        print('no MPI is installed (Debian, Ubuntu: apt install openmpi-bin libopenmpi-dev)')
        return 77
    failed = 0
    for name, compiler, launcher in found:
        for ranks in arguments.ranks:
            command = [arguments.dagaz, 'test', '--notty', '-j1', f'--ranks={ranks}', *SHARE_ALL,
                       arguments.folder]
            done = subprocess.run(command, env=environment(compiler, launcher),
                                  capture_output=True, text=True)
            if done.returncode != 0:
                failed += 1
                print(f'{name}, {ranks} ranks:\n{done.stdout}{done.stderr}')
    print(f'{len(found) * len(arguments.ranks) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
