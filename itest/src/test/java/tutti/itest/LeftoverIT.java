package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What jobs leave behind when they have ended: nothing. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class LeftoverIT {
    private static final int JOBS = 50;
    /** From here on all is loaded and cached that jobs share. */
    private static final int WARM = 20;
    /** Bytes; a fifth of the 100 KiB that one rank's class and its statics may well hold. */
    private static final long A_JOB = 20 << 10;

    @TempDir
    private static Path dir;

    @Test
    void shouldHoldNothingOfFiftyJobsInARowAndNoMoreHeapThanAfterTwenty() throws Exception {
        Cli.program(dir, "Sum", """
            int[] ones = {1};
            MPI.COMM_WORLD.allReduce(ones, 1, MPI.INT, MPI.SUM);
            if (ones[0] != size) {
                System.exit(9);
            }""");
        Cli.compile(dir, "Sum");
        try (Cli.Daemon a = new Cli.Daemon(dir, "--name", "a"); Cli.Daemon b = new Cli.Daemon(dir, "--name", "b", "--join", a.address)) {
            final List<Long> heapOfA = new ArrayList<>();
            final List<Long> heapOfB = new ArrayList<>();
            for (int i = 1; i <= JOBS; i++) {
                final Cli.Result r = Cli.run(dir, "run", "--connect", a.address, "-n", "4", "--cp", ".", "Sum");
                assertEquals(0, r.status(), r::toString);
                if (i % 10 == 0) {
                    heapOfA.add(Inside.heap(a));
                    heapOfB.add(Inside.heap(b));
                }
            }
            Inside.holdsNothing(a);
            Inside.holdsNothing(b);
            isFlat(heapOfA);
            isFlat(heapOfB);
        }
    }

    /** A value after every ten jobs. */
    private static void isFlat(final List<Long> heap) {
        final long grown = heap.getLast() - heap.get(WARM / 10 - 1);
        assertTrue(grown < (JOBS - WARM) * A_JOB, () -> "heap grows: bytes=" + heap + ", max=" + A_JOB + " per job");
    }
}
