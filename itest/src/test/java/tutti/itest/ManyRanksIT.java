package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests jobs with many more ranks than cores. Profile {@code soak} runs 4,096 of them in a JVM. */
@Tag("nightly")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ManyRanksIT {
    private static final int RANKS = Integer.getInteger("tutti.ranks", 256);

    @TempDir
    private static Path dir;

    @BeforeAll
    static void writePrograms() throws Exception {
        TuttiScript.writeProgram(dir, "Many", """
            int[] data = new int[1024];
            java.util.Arrays.fill(data, rank == 1 ? 7 : 0);
            MPI.COMM_WORLD.bcast(data, data.length, MPI.INT, 1);
            long[] sum = new long[1];
            for (int i = 0; i < 20; i++) {
              MPI.COMM_WORLD.barrier();
              MPI.COMM_WORLD.allReduce(new long[] {rank + (long) data[i]}, sum, 1, MPI.LONG, MPI.SUM);
            }
            MPI.COMM_SELF.barrier();
            if (sum[0] != size * (size - 1L) / 2 + 7L * size) {
              throw new IllegalStateException("sum=" + sum[0]);
            }
            if (rank == size - 1) {
              System.out.println(size + " ranks");
            }""");
    }

    @Test
    void shouldRunOnOneNode() throws Exception {
        run(1);
    }

    @Test
    void shouldRunOnThreeNodes() throws Exception {
        run(3);
    }

    private static void run(final int nodes) throws Exception {
        final TuttiScript.Result r = TuttiScript.run(dir, TuttiScript.AS_SHIPPED, "run", "-n", Integer.toString(RANKS), "--nodes",
            Integer.toString(nodes), "Many.java");
        assertEquals(RANKS + " ranks\n", r.out(), r::toString);
        assertEquals(0, r.status(), r::toString);
    }

    @Test
    void shouldSayThatTheNodeHasTooFewThreads() throws Exception {
        // stacks of 256 MiB, of which 16 GiB of address space hold few
        final TuttiScript.Result r = TuttiScript.limited(dir, 16 << 20, Map.of("TUTTI_DAEMON_OPTS",
            "-XX:TieredStopAtLevel=1 -Xmx256m -XX:CompressedClassSpaceSize=64m -XX:ThreadStackSize=262144"), "run", "-n", "256", "--nodes", "1",
            "Many.java");
        assertEquals(1, r.status(), r::toString);
        assertTrue(r.err().contains("rank cannot be started") && r.err().contains("use more nodes"), r::toString);
    }
}
