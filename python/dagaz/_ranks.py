"""Programs that the processes of an MPI communicator run together."""

import os
import shutil


def address_of(communicator):
    """Where the MPI_Comm is that a communicator of mpi4py holds."""
    from mpi4py import MPI

    if not isinstance(communicator, MPI.Comm):
        raise TypeError(f"a communicator of mpi4py is needed, not {communicator!r}")
    return MPI._addressof(communicator)


def options(communicator):
    """What the program is built with: the MPI that mpi4py has."""
    if communicator is None:
        return []
    return ["--ranks=mpi", f"--mpicc={_mpicc()}"]


def _mpicc():
    chosen = os.environ.get("MPICC")
    if chosen:
        return chosen
    from mpi4py import MPI

    # Debian installs the compilers of both side by side.
    vendor = MPI.get_vendor()[0].lower().replace(" ", "")
    beside = f"mpicc.{vendor}"
    return beside if shutil.which(beside) else "mpicc"
