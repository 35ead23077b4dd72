package com.example;

import mpi.MPI;
import mpi.MPIException;

/** Prints the sum of the numbers of all ranks. */
public final class Sum {
    private Sum() {}

    /** Runs a rank. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int sum = ofAll(MPI.COMM_WORLD.getRank());
        if (MPI.COMM_WORLD.getRank() == 0) {
            System.out.println("the sum is " + sum);
        }
        MPI.Finalize();
    }

    /** Returns the sum of the values of all ranks. */
    static int ofAll(final int value) throws MPIException {
        final int[] sum = {value};
        MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
        return sum[0];
    }
}
