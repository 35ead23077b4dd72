package tutti.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import programs.ManyThreads;
import programs.PooledCalls;
import programs.ThreadLevels;
import programs.Threads;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;
import tutti.runtime.host.JobRanks;
import tutti.runtime.job.JobSpec;

/** Calls from several threads at each thread level. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ThreadsTest {

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2"})
    void shouldServeSeveralThreadsAtOnce(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Threads.class);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"2, 1, fast", "3, 2, fast", "3, 2, full"})
    void shouldServeManyThreadsThatDoEverythingAtOnce(final int ranks, final int nodes, final String check) throws Exception {
        Programs.run(ranks, nodes, check, ManyThreads.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1", "3, 2"})
    void shouldServeMoreTasksOfTheCommonPoolThanItHasThreads(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, PooledCalls.class);
    }

    @ParameterizedTest
    @CsvSource({"init, fast", "init, full", "init, off", "0, fast", "1, full", "2, full", "3, off"})
    void shouldServeEveryThreadAtEveryLevel(final String level, final String check) throws Exception {
        run(level, Map.of("check", check), "false");
    }

    @ParameterizedTest
    @CsvSource({"init, off, true", "0, fast, true", "1, fast, true", "1, full, true", "3, full, false"})
    void shouldRefuseCallsOfThreadsThatMayNotCallWhereTheJobChecksIt(final String level, final String check, final String refused) throws Exception {
        run(level, Map.of("check", check, "check.threads", "on"), refused);
    }

    @ParameterizedTest
    @ValueSource(strings = {"receive", "waitAny"})
    void shouldRefuseTwoCallsAtOnceWhereOneAtATimeIsAllowed(final String call) {
        final IllegalStateException thrown = assertThrows(IllegalStateException.class,
            () -> run("2", Map.of("check.threads", "on"), call.equals("waitAny") ? new String[] {"true", "any"} : new String[] {"true"}));
        assertEquals("refused", thrown.getMessage());
    }

    private static void run(final String level, final Map<String, String> parameters, final String... more) throws Exception {
        final JobSpec spec = new JobSpec("test", new byte[16], List.of("n0"), List.of(0), 0, ThreadLevels.class.getName(), List.of(), List.of());
        final JobRanks job = new JobRanks(spec, (node, reason) -> {}, (rank, status) -> {});
        job.setModules(Ranks.job(1, parameters, List.of(new BasicModule())));
        try {
            Programs.main(job.local().getFirst(), ThreadLevels.class, Stream.concat(Stream.of(level), Stream.of(more)).toArray(String[]::new));
        } finally {
            job.local().getFirst().end("the test is over");
            job.leave();
        }
    }
}
