package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tutti.daemon.monitor.LiveCounts;
import tutti.daemon.node.JobRecord;
import tutti.runtime.introspect.CanaryReport;

class JobHistoryTest {
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @TempDir
    private Path dir;

    @BeforeEach
    void listen() {
        log.start();
        logger().setLevel(Level.INFO);
        logger().addAppender(log);
    }

    @AfterEach
    void stop() {
        logger().detachAppender(log);
        logger().setLevel(null);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(JobHistory.class);
    }

    private static JobRecord job(final int number) {
        return new JobRecord("a-" + number, "Pi.java", 4, List.of("a", "b"), "me", "a", 1_000L * number, null);
    }

    private static JobRecord ended(final int number, final int status, final String reason) {
        return job(number).ended(new JobRecord.End(1_000L * number + 250, status, reason));
    }

    private Path file() {
        return dir.resolve("work").resolve("history.jsonl");
    }

    private List<String> logged() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private static List<String> ids(final JobHistory history) {
        return history.jobs().stream().map(JobRecord::id).toList();
    }

    @Test
    void shouldLogTheStartAndTheEndOfAJobInOneLineEach() {
        final JobHistory history = new JobHistory(10, null);
        history.began(job(1));
        history.ended(ended(1, 0, ""));
        history.ended(ended(2, 1, "rank 1 on node b failed: boom\n  at Pi.main"));
        assertEquals(List.of("job a-1 started: program=Pi.java, ranks=4, nodes=a,b, by=me",
            "job a-1 ended: status=0, seconds=0.25, program=Pi.java, ranks=4, nodes=a,b, by=me",
            "job a-2 ended: status=1, seconds=0.25, program=Pi.java, ranks=4, nodes=a,b, by=me, reason=rank 1 on node b failed: boom"), logged());
    }

    @Test
    void shouldMakeOneShortLineOfTextsOfUsers() {
        final JobRecord job = new JobRecord("a-1", "x\u001b[2J".repeat(300), 1, List.of(), "me\nERROR forged", "a", 0, null);
        assertEquals("me", job.launchedBy());
        assertEquals(303, job.program().length());
        assertTrue(job.program().startsWith("x?[2Jx?[2J"), job.program());
    }

    @Test
    void shouldCountJobsByTheStatusesThatTuttiDefines() {
        final JobHistory history = new JobHistory(0, file());
        history.began(job(1));
        history.ended(ended(1, 0, ""));
        history.ended(ended(2, 7, "cancelled"));
        history.ended(ended(3, 77, "rank 0 called System.exit"));
        history.ended(ended(4, 78, "rank 0 called System.exit"));
        history.began(job(5));
        history.checkpointed(true, 100);
        history.checkpointed(false, 0);
        history.changed();
        history.tried(CanaryReport.of("MPI_COMM_WORLD", 2, 1, CanaryReport.Verdict.SLOW, ""));
        assertEquals(new JobHistory.Counts(5, Map.of("0", 1L, "7", 1L, "other", 2L), 1, 1, 100,
            new LiveCounts(1, Map.of("slow", 1L), 0, 0)), history.counts());
        assertEquals(List.of("a-5"), ids(history));
        assertTrue(Files.notExists(file()), "a history of no jobs needs no file");
    }

    @Test
    void shouldRememberTheLastJobsAndThoseThatRun() {
        final JobHistory history = new JobHistory(2, null);
        history.began(job(1));
        for (int i = 2; i <= 5; i++) {
            history.began(job(i));
            history.ended(ended(i, 0, ""));
        }
        assertEquals(List.of("a-1", "a-4", "a-5"), ids(history));
        assertNull(history.jobs().getFirst().end());
    }

    @Test
    void shouldKeepTheHistoryWhenTheNodeStartsAgain() throws IOException {
        final JobHistory first = new JobHistory(3, file());
        for (int i = 1; i <= 50; i++) {
            first.began(job(i));
            first.ended(ended(i, i % 2, i % 2 == 0 ? "" : "boom"));
        }
        first.began(job(51));
        assertTrue(Files.readAllLines(file()).size() <= 10, "the file is bounded");
        Files.writeString(file(), "{\"id\":\"a-52\",\"pro", StandardOpenOption.APPEND);
        final JobHistory second = new JobHistory(3, file());
        assertEquals(
            List.of(ended(49, 1, "boom"), ended(50, 0, ""), job(51).ended(new JobRecord.End(0, 3, "node a ended, which coordinated the job"))),
            second.jobs());
        assertEquals(0, second.counts().started());
        assertTrue(logged().contains("history of jobs has lines that cannot be read, which are dropped: file=" + file() + ", lines=1"),
            logged()::toString);
        second.ended(ended(60, 0, ""));
        assertEquals(List.of("a-50", "a-51", "a-60"), ids(new JobHistory(3, file())));
    }

    @Test
    void shouldGoOnWithoutAFileThatCannotBeWritten() throws IOException {
        Files.writeString(dir.resolve("work"), "no folder");
        final JobHistory history = new JobHistory(3, file());
        history.began(job(1));
        history.ended(ended(1, 0, ""));
        assertEquals(List.of("a-1"), ids(history));
        assertEquals(1,
            logged().stream().filter(l -> l.startsWith("history of jobs is kept in memory alone, its file cannot be used: file=" + file()))
                .count(),
            logged()::toString);
        Files.delete(dir.resolve("work"));
        history.ended(ended(2, 7, "job a-2 was cancelled"));
        assertTrue(logged().contains("history of jobs is written again: file=" + file()), logged()::toString);
        assertEquals(List.of("a-1", "a-2"), ids(new JobHistory(3, file())));
    }
}
