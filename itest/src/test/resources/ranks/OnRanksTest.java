package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.util.stream.Stream;
import mpi.MPI;
import mpi.MPIException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.junit.Ranks;

/** Tests of which some fail: RanksIT runs them and reads the report. */
@Ranks(4)
class OnRanksTest {
    private static int classes;
    private int steps;

    static int rank() throws MPIException {
        return MPI.COMM_WORLD.getRank();
    }

    @BeforeAll
    static void first() {
        classes++;
    }

    @BeforeEach
    void before() {
        steps++;
    }

    @AfterEach
    void after() {
        System.out.println("after " + steps);
    }

    @AfterAll
    static void last() throws MPIException {
        System.out.println("last of " + rank());
    }

    @Test
    void shouldHaveStaticsOfItsOwn() throws MPIException {
        classes += 1 + rank();
        MPI.COMM_WORLD.barrier();
        assertEquals(2 + rank(), classes);
        assertEquals(1, steps);
        System.err.println("problem of " + rank());
    }

    @Test
    @Ranks(value = 3, nodes = 2)
    void failsOnRankOne() throws MPIException {
        System.out.println("on " + MPI.getNodeName());
        if (rank() == 1) {
            assertEquals("tree", "ring", "module differs");
        }
        MPI.COMM_WORLD.barrier();
    }

    @Test
    void failsOnAllRanks() {
        assertEquals(1, 2);
    }

    @Test
    void throwsItsOwnException() throws MPIException {
        class Unknown extends RuntimeException {
            private static final long serialVersionUID = 1L;
            final transient Object held = new Object();

            Unknown(final String text) {
                super(text);
            }
        }
        if (rank() == 2) {
            throw new Unknown("cannot go on");
        }
    }

    @Test
    void catchesAnErrorOfACall() {
        assertThrows(MPIException.class, () -> MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, 99, 0));
    }

    @Test
    void failsByAnErrorOfACall() throws MPIException {
        MPI.COMM_WORLD.send(new int[1], 1, MPI.INT, 99, 0);
    }

    @Test
    @Ranks(value = 2, timeoutSeconds = 10)
    void computesForever() throws MPIException {
        final int rank = rank();
        while (rank == 0) {
            Thread.onSpinWait();
        }
        MPI.COMM_WORLD.barrier();
    }

    @Test
    @Ranks(value = 2, parameters = "stall=1s")
    void waitsForever() throws MPIException {
        MPI.COMM_WORLD.recv(new int[1], 1, MPI.INT, 1 - rank(), 7);
    }

    @Test
    void leavesByExit() throws MPIException {
        if (rank() == 2) {
            System.exit(5);
        }
        MPI.COMM_WORLD.barrier();
    }

    @Test
    void isNotFor() {
        Assumptions.assumeTrue(false, "another machine");
    }

    @Test
    void shouldShareATemporaryFolder(@TempDir final Path folder) throws Exception {
        Files.createFile(folder.resolve("of-" + rank()));
        MPI.COMM_WORLD.barrier();
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(4, files.count());
        }
    }

    @ParameterizedTest
    @EnumSource(value = DayOfWeek.class, names = {"MONDAY", "SUNDAY"})
    @Ranks(2)
    void shouldGetArguments(final DayOfWeek day) throws MPIException {
        assertFalse(day == DayOfWeek.FRIDAY);
        assertEquals(2, MPI.COMM_WORLD.getSize());
    }

    @Test
    void wantsWhatRanksDoNotHave(final TestInfo info) {
        assertEquals("", info.getDisplayName());
    }

    @Test
    @Ranks(value = 2, nodes = 3)
    void hasMoreNodesThanRanks() {
        throw new IllegalStateException("not called");
    }

    @Nested
    class Inner {
        @BeforeEach
        void inside() {
            steps += 10;
        }

        @Test
        void shouldHaveTheInstanceAround() {
            assertEquals(11, steps);
        }
    }
}
