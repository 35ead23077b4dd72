package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import mpi.MPI;
import mpi.MPIException;
import org.junit.jupiter.api.Test;
import tutti.junit.Ranks;

class SumTest {
    @Test
    @Ranks(4)
    void shouldAddTheValuesOfAllRanks() throws MPIException {
        assertEquals(6, Sum.ofAll(MPI.COMM_WORLD.getRank()));
    }

    @Test
    @Ranks(value = 3, nodes = 2, parameters = "coll.allreduce=basic")
    void shouldAddOnTwoNodesWithModuleBasic() throws MPIException {
        assertEquals(30, Sum.ofAll(10));
    }
}
