package tutti.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import programs.ThreadLevels;
import programs.Threads;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.job.JobRanks;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;

/** Thread levels. */
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class ThreadsTest {

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2"})
    void shouldServeSeveralThreadsAtOnce(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Threads.class);
    }

    @ParameterizedTest
    @CsvSource({"0, fast, true", "1, fast, true", "1, full, true", "1, off, false", "2, fast, false", "3, full, false"})
    void shouldRefuseCallsOfThreadsThatMayNotCall(final String level, final String check, final String refused) throws Exception {
        run(level, check, refused);
    }

    @Test
    void shouldRefuseTwoCallsAtOnceWhereOneAtATimeIsAllowed() {
        assertEquals("refused", assertThrows(IllegalStateException.class, () -> run("2", "full", "true")).getMessage());
    }

    private static void run(final String level, final String check, final String refused) throws Exception {
        final JobSpec spec = new JobSpec("test", new byte[16], List.of(new NodeAddress("n0", "127.0.0.1", 1)),
            List.of(0), 0, ThreadLevels.class.getName(), List.of(), List.of());
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            final JobRanks job = new JobRanks(spec, transport, (node, reason) -> { }, (rank, status) -> { });
            job.agree(Ranks.job(1, Map.of("check", check), List.of(new BasicModule())));
            try {
                Programs.main(job.local().getFirst(), ThreadLevels.class, level, refused);
            } finally {
                job.local().getFirst().end("the test is over");
                job.leave();
            }
        }
    }
}
