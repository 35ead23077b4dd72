package tutti.mpi.programs;

import mpi.MPIException;

/** A call that a program measures many times. */
interface RepeatedCall {
    void run() throws MPIException;
}
