package com.example.coll.hub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import mpi.MPI;
import mpi.MPIException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tutti.testing.TuttiCluster;

/** Runs a job with the module on a cluster of three containers. */
class HubClusterIT {
    @RegisterExtension
    static final TuttiCluster CLUSTER = TuttiCluster.of(3).module(Path.of("target/com.example.coll.hub.jar"));

    /** A program: rank 0 broadcasts a number. */
    static final class Broadcasts {
        private Broadcasts() {}

        public static void main(final String[] args) throws MPIException {
            MPI.Init(args);
            final int[] number = {MPI.COMM_WORLD.getRank() == 0 ? 42 : 0};
            MPI.COMM_WORLD.bcast(number, 1, MPI.INT, 0);
            MPI.COMM_WORLD.barrier();
            System.out.println(number[0]);
            MPI.Finalize();
        }
    }

    @Test
    void shouldServeJobsOnThreeNodes() {
        final String[] selection = {"-p", "coll.select=hub", "-p", "coll.hub.ranks=5"};
        assertEquals("42\n".repeat(5), CLUSTER.run(5, Broadcasts.class, selection));
        final String why = CLUSTER.tutti("explain", "bcast", "-n", "5", selection[0], selection[1], selection[2], selection[3]);
        assertTrue(why.contains("hub 1.0.0, algorithm linear"), why);
    }
}
