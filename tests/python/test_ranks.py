"""Processes of MPI that run a program together, each a Python of its own."""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

PROCESS = textwrap.dedent('''
    import sys
    import numpy as np
    from mpi4py import MPI
    import dagaz

    PROGRAM = r"""
    entry sums [n] [m] (xs: [n][m]f64) : ([m]f64, [n]f64) =
      (reduce (map2 (+)) (replicate m 0) xs, map f64.sum xs)
    entry at (xs: []f64) (i: i64) : f64 = xs[i]
    entry loss [n] (xs: [n]f64) (w: f64) : f64 = f64.sum (map (\\x -> (w * x - 1) ** 2) xs)
    """
    world = MPI.COMM_WORLD
    m = dagaz.compile(PROGRAM, communicator=world, num_threads=1)
    n = 1000
    whole = np.arange(3.0 * n).reshape(n, 3)
    first, count = m.rows(n)
    assert world.allreduce(count) == n
    xs = m.part(whole[first:first + count], n)
    columns, rows = m.sums(xs)
    assert isinstance(rows, dagaz.Array), rows
    assert np.array_equal(rows.part(), whole[first:first + count].sum(axis=1))
    assert np.array_equal(rows.numpy(), whole.sum(axis=1))
    assert np.array_equal(columns.numpy(), whole.sum(axis=0))
    assert np.array_equal(xs.numpy(), whole)
    line = m.part(whole[first:first + count, 0], n)
    value, slopes, slope = m.loss.value_and_grad(line, 0.5)
    assert np.isclose(slope, (2 * (0.5 * whole[:, 0] - 1) * whole[:, 0]).sum())
    try:
        m.part(whole[:1], n)
        raise SystemExit("too few rows were taken")
    except ValueError as error:
        assert "are this process's, not 1" in str(error), error
    try:
        m.at(np.zeros(3), 7)
        raise SystemExit("an index out of bounds was taken")
    except dagaz.ProgramError as error:
        assert "out of bounds" in str(error), error
    assert m.at(np.full(3, 2.5), 1) == 2.5
    well = world.allreduce(1)
    if world.rank == 0:
        print(f"{well} ranks are well")
''')


def launchers():
    """Of the MPI that mpi4py has."""
    from mpi4py import MPI
    vendor = MPI.get_vendor()[0].lower().replace(' ', '')
    return [f'mpirun.{vendor}', 'mpirun']


@unittest.skipUnless(importlib.util.find_spec('mpi4py'), 'no mpi4py (apt install python3-mpi4py)')
class Ranks(unittest.TestCase):
    def test_processes_run_a_program_together(self):
        launcher = next(filter(shutil.which, launchers()))
        environment = {**os.environ, 'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
                       'OMPI_MCA_btl': 'self,vader', 'OMPI_MCA_rmaps_base_oversubscribe': '1'}
        with tempfile.NamedTemporaryFile('w', suffix='.py') as script:
            script.write(PROCESS)
            script.flush()
            for ranks in 1, 3:
                done = subprocess.run([launcher, '-n', str(ranks), sys.executable, script.name],
                                      env=environment, capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(done.stdout, f'{ranks} ranks are well\n', done.stderr)

    def test_a_communicator_is_one_of_mpi4py(self):
        # In a process of its own: MPI is started when it is imported.
        text = 'import dagaz; dagaz.compile("entry f (x: f64) = x", communicator=5)'
        done = subprocess.run([sys.executable, '-c', text], capture_output=True, text=True,
                              timeout=300)
        self.assertIn('a communicator of mpi4py is needed, not 5', done.stderr)


if __name__ == '__main__':
    unittest.main()
