package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests windows and files of jobs on two nodes: how ranks are placed and linked, spawned ranks, and what a killed JVM leaves. */
@Tag("nightly")
@Timeout(value = 1_200, unit = TimeUnit.SECONDS)
class MemoryAndFilesIT {
    static final String PROGRAM = "MemoryAndFiles";

    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;

    @BeforeAll
    static void start() throws Exception {
        compile(dir);
        a = new TuttiScript.Daemon(dir, TuttiScript.SHORT_LIVED, "--name", "a");
        b = new TuttiScript.Daemon(dir, TuttiScript.SHORT_LIVED, "--name", "b", "--join", a.address);
    }

    /** Compiles the program to a folder. */
    static void compile(final Path folder) throws Exception {
        try (InputStream source = Objects.requireNonNull(MemoryAndFilesIT.class.getResourceAsStream("/programs/" + PROGRAM + ".java"))) {
            Files.copy(source, folder.resolve(PROGRAM + ".java"), StandardCopyOption.REPLACE_EXISTING);
        }
        TuttiScript.compile(folder, PROGRAM);
    }

    @AfterAll
    static void stop() {
        b.close();
        a.close();
    }

    private static String[] line(final List<String> options, final String... args) {
        final List<String> line = new ArrayList<>(List.of("run", "--connect", a.address, "--timeout", "300", "--cp", dir.toString()));
        line.addAll(options);
        line.add(PROGRAM);
        line.addAll(List.of(args));
        return line.toArray(String[]::new);
    }

    static Stream<List<String>> placements() {
        return Stream.of(List.of("-n", "5", "--oversubscribe"), List.of("-n", "3", "--ranks-per-jvm", "1"),
            List.of("-n", "4", "--oversubscribe", "-p", "transport=tcp"), List.of("-n", "3", "--ranks-per-jvm", "1", "-p", "transport=tcp"),
            List.of("-n", "2", "--map", "slot"));
    }

    @ParameterizedTest
    @MethodSource("placements")
    void shouldUseWindowsAndFilesHoweverRanksArePlaced(final List<String> options) throws Exception {
        for (final String whose : new String[] {"world", "spawn"}) {
            final TuttiScript.Result r = CommandInJvm.run(line(options, whose, dir.resolve("data").toString()));
            final int ranks = Integer.parseInt(options.get(1)) + (whose.equals("spawn") ? 2 : 0);
            assertEquals(List.of(0, "used by " + ranks + "\n"), List.of(r.status(), r.out()), r::toString);
            assertFalse(Files.exists(dir.resolve("data")), "deleted on close");
        }
    }

    @ParameterizedTest
    @CsvSource({"epochs, 0, shm", "epochs, 1, shm", "epochs, 0, tcp", "epochs, 1, tcp", "writes, 0, shm", "writes, 1, tcp"})
    void shouldEndAJobWhoseJvmIsKilledInAnEpochOrAnAccessAndLeaveNoLock(final String what, final int killed, final String transport)
        throws Exception {
        final Path file = dir.resolve("written");
        final List<String> options = List.of("-n", "2", "--ranks-per-jvm", "1", "--map", "slot", "-p", "transport=" + transport);
        final CommandInJvm.Running job = CommandInJvm.start(line(options, what, file.toString()));
        final List<String> lines = job.lines(2, Duration.ofSeconds(300));
        final String wanted = "rank " + killed + " pid ";
        final long pid = Long.parseLong(lines.stream().filter(l -> l.startsWith(wanted)).findFirst().orElseThrow().substring(wanted.length()));
        while (what.equals("writes") && number(file, 0) == 0) {
            Thread.onSpinWait();
        }
        if (what.equals("writes")) {
            final String ranks = ranks();
            assertTrue(ranks.contains("\nrank 1 has files: " + file + ": mode=CREATE|RDWR, pointer=0, etype bytes=8"), ranks);
        }
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        final TuttiScript.Result r = job.end();
        assertTrue(r.status() != 0 && r.status() != 124, r::toString);
        assertTrue(r.err().contains("pid=" + pid) && r.err().contains("killed by signal 9"), r::toString);
        for (int i = 0; what.equals("writes") && i < 2_000; i++) {
            assertEquals(7, number(file, 2 * 20_000 + i), "written by both ranks, and confirmed by sync");
        }
        final TuttiScript.Result next = CommandInJvm.run(line(options, "world", file.toString()));
        assertEquals(List.of(0, "used by 2\n"), List.of(next.status(), next.out()), next::toString);
    }

    /** Returns a number of 8 bytes of a file; 0 where it has none. */
    private static long number(final Path file, final long index) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        try (FileChannel channel = FileChannel.open(file)) {
            final ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            return channel.read(number, index * Long.BYTES) < Long.BYTES ? 0 : number.getLong(0);
        }
    }

    /** Returns what the ranks of the program's job do. */
    private static String ranks() throws Exception {
        final String job = CommandInJvm.run("ps", "--connect", a.address).out().lines().filter(l -> l.contains(PROGRAM)).findFirst().orElseThrow();
        return CommandInJvm.run("ps", job.split(" ")[0], "--ranks", "--connect", a.address).out();
    }

    @Test
    void shouldSayWhichNodeHasAnotherFile() throws Exception {
        final Path other = Files.createDirectories(dir.resolve("other"));
        TuttiScript.writeProgram(dir, "Opens", """
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            try {
                new File(MPI.COMM_WORLD, "data", MPI.MODE_RDWR | MPI.MODE_CREATE);
            } catch (MPIException e) {
                System.out.println(e.getErrorClass() + " " + e.getMessage());
            }""");
        TuttiScript.compile(dir, "Opens");
        try (TuttiScript.Daemon c = new TuttiScript.Daemon(other, TuttiScript.SHORT_LIVED, "--name", "c");
             TuttiScript.Daemon d = new TuttiScript.Daemon(dir, TuttiScript.SHORT_LIVED, "--name", "d", "--join", c.address)) {
            for (final boolean exists : new boolean[] {false, true}) {
                if (exists) {
                    Files.createFile(other.resolve("data"));
                    Files.createFile(dir.resolve("data"));
                }
                final TuttiScript.Result r = CommandInJvm.run("run", "--connect", c.address, "-n", "2", "--map", "node", "--timeout", "300", "--cp",
                    dir.toString(), "Opens");
                assertEquals(0, r.status(), r::toString);
                assertEquals(2,
                    r.out().lines().filter(l -> l.startsWith("40 file is another one, or is missing, on node ")).count(),
                    r::toString);
                Files.deleteIfExists(dir.resolve("data"));
                assertEquals(exists, Files.deleteIfExists(other.resolve("data")));
            }
            assertTrue(d.process.isAlive());
        }
    }
}
