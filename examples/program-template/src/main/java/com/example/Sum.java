package com.example;

import mpi.MPI;
import mpi.MPIException;

/** Prints the sum of the numbers of all ranks. */
public final class Sum {
    private Sum() {}

    /** Runs a rank. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int[] sum = {MPI.COMM_WORLD.getRank()};
        MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
        if (MPI.COMM_WORLD.getRank() == 0) {
            System.out.println("the sum is " + sum[0]);
        }
        MPI.Finalize();
    }
}
