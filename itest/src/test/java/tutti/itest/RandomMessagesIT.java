package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests random messages of all lengths and types over shared memory and TCP, each of which is compared with a model, with JVMs that are killed in
 * between. Profile {@code soak} does so for an hour.
 */
@Tag("nightly")
@Timeout(value = 5_400, unit = TimeUnit.SECONDS)
@EnabledOnOs(OS.LINUX)
class RandomMessagesIT {
    private static final int SECONDS = Integer.getInteger("tutti.messages", 40);
    /** Seconds of a job. */
    private static final int PART = 15;
    private static final String PROGRAM = "RandomMessages";

    @TempDir
    private Path dir;
    private final List<TuttiScript.Daemon> nodes = new ArrayList<>();

    /** Starts two nodes that share the memory of this host, and one that has another where that is permitted: it is linked by TCP. */
    private void start() throws Exception {
        nodes.add(new TuttiScript.Daemon(dir, TuttiScript.SHORT_LIVED, "--name", "a"));
        final String first = nodes.getFirst().address;
        nodes.add(new TuttiScript.Daemon(dir, TuttiScript.SHORT_LIVED, "--name", "b", "--join", first));
        final boolean isPermitted = new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm").start().waitFor() == 0;
        final List<String> far = new ArrayList<>(isPermitted
            ? List.of("unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /dev/shm && exec \"$@\"", "sh") : List.of());
        far.addAll(List.of(ProjectPaths.DIR.resolve("tutti").toString(), "daemon", "--name", "c", "--join", first));
        final ProcessBuilder builder = new ProcessBuilder(far).directory(dir.toFile());
        builder.environment().putAll(TuttiScript.SHORT_LIVED);
        nodes.add(new TuttiScript.Daemon(builder.start()));
    }

    private CommandInJvm.Running job(final long first, final String... more) throws Exception {
        final List<String> line = new ArrayList<>(List.of("run", "--connect", nodes.getFirst().address, "--timeout", "600", "--cp", dir.toString()));
        line.addAll(List.of(more));
        line.addAll(List.of(PROGRAM, Integer.toString(PART), Long.toString(first)));
        return CommandInJvm.start(line.toArray(String[]::new));
    }

    @Test
    void shouldDeliverRandomMessagesAsTheModelSaysWhileJvmsAreKilled() throws Exception {
        try (InputStream source = Objects.requireNonNull(RandomMessagesIT.class.getResourceAsStream("/programs/" + PROGRAM + ".java"))) {
            Files.copy(source, dir.resolve(PROGRAM + ".java"));
        }
        TuttiScript.compile(dir, PROGRAM);
        try {
            start();
            final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            long round = 1;
            for (int i = 0; i == 0 || System.nanoTime() < end; i++) {
                round = whole(round, i % 2 == 0 ? new String[] {"-n", "3", "--ranks-per-jvm", "1"} : new String[] {"-n", "5", "--oversubscribe"});
                killed(round);
            }
        } finally {
            nodes.forEach(TuttiScript.Daemon::close);
        }
    }

    /** Runs a job to its end; returns the number of the next round. */
    private long whole(final long first, final String... options) throws Exception {
        final CommandInJvm.Running job = job(first, options);
        final List<String> lines = job.lines(2, Duration.ofSeconds(600));
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
        final String rounds = lines.stream().filter(l -> l.startsWith("rounds ")).findFirst().orElseThrow().substring("rounds ".length());
        return first + Long.parseLong(rounds);
    }

    /** Runs a job one of whose JVMs is killed; the job must end with a reason. */
    private void killed(final long first) throws Exception {
        final CommandInJvm.Running job = job(first, "-n", "3", "--ranks-per-jvm", "1");
        final String pid = job.lines(1, Duration.ofSeconds(600)).getFirst();
        ProcessHandle.of(Long.parseLong(pid.substring("pid ".length()))).orElseThrow().destroyForcibly();
        final TuttiScript.Result r = job.end();
        assertTrue(r.status() != 0 && r.status() != 124 && !r.err().contains("wrong"), r::toString);
    }
}
