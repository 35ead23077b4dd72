package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogFileTest {
    private static final String FILE = "logback.configurationFile";

    private final String configuration = System.getProperty(FILE);
    private final LoggerContext context = new LoggerContext();
    private final Logger daemon = context.getLogger("tutti.daemon.job.JobHistory");
    private final ByteArrayOutputStream console = new ByteArrayOutputStream();

    @TempDir
    private Path dir;

    @BeforeEach
    void configure() {
        System.clearProperty(FILE);
        context.setMDCAdapter(new LogbackMDCAdapter());
        new LoggingConfigurator().configure(context);
        ((OutputStreamAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender(LoggingConfigurator.CONSOLE)).setOutputStream(console);
    }

    @AfterEach
    void restore() {
        System.setProperty(FILE, configuration);
        context.stop();
    }

    @Test
    void shouldLogWhatJobsAndNodesDoToTheFileAndWarningsToBoth() throws IOException {
        final Path file = dir.resolve("tutti.log");
        LogFile.open(context, file, 1 << 20, 3);
        daemon.info("job a-1 started");
        daemon.debug("detail");
        daemon.warn("disk is full");
        context.getLogger("org.other").info("chatter");
        assertEquals(List.of("INFO  t.daemon.job.JobHistory: job a-1 started", "WARN  t.daemon.job.JobHistory: disk is full"),
            Files.readAllLines(file).stream().map(l -> l.substring(l.indexOf(' ') + 1)).toList());
        final String printed = console.toString(StandardCharsets.UTF_8);
        assertTrue(printed.matches("[0-9:.]+ WARN  \\[\\S+\\] t.daemon.job.JobHistory: disk is full\\R"), printed);
    }

    @Test
    void shouldLeaveTheLevelThatTheUserHasSet() {
        context.getLogger("ROOT").setLevel(Level.DEBUG);
        LogFile.open(context, dir.resolve("tutti.log"), 1 << 20, 3);
        assertEquals(Level.DEBUG, daemon.getEffectiveLevel());
    }

    @Test
    void shouldKeepAsManyFilesAsItIsTold() throws IOException {
        LogFile.open(context, dir.resolve("tutti.log"), 1 << 10, 3);
        for (int i = 0; i < 1_000; i++) {
            daemon.info("job a-{} started", i);
        }
        try (Stream<Path> files = Files.list(dir)) {
            assertEquals(List.of("tutti.log", "tutti.log.1", "tutti.log.2"), files.map(f -> f.getFileName().toString()).sorted().toList());
        }
        try (Stream<Path> files = Files.list(dir)) {
            assertTrue(files.mapToLong(f -> f.toFile().length()).sum() < 8 << 10);
        }
        assertTrue(Files.readString(dir.resolve("tutti.log")).endsWith("job a-999 started\n"));
    }

    private List<String> filesInHome() throws IOException {
        try (Stream<Path> found = Files.list(dir.resolve(".tutti/log"))) {
            return found.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldLogToTheHomeFolderUnlessAnotherNodeOfThatNameDoes() throws IOException {
        final Path folder = Files.createDirectories(dir.resolve(".tutti/log"));
        LogFile.openInHome(context, dir, "b", 1 << 20, 3);
        daemon.info("job b-1 started");
        assertTrue(Files.readString(folder.resolve("b.log")).endsWith("job b-1 started\n"));
        assertEquals(List.of("b.lock", "b.log"), filesInHome());
        final Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp",
            System.getProperty("java.class.path"), Locker.class.getName(), folder.resolve("a.lock").toString()).redirectError(Redirect.INHERIT)
            .start();
        try (BufferedReader lines = other.inputReader(StandardCharsets.UTF_8)) {
            assertEquals("locked", lines.readLine());
            LogFile.openInHome(context, dir, "a", 1 << 20, 3);
            daemon.info("job a-1 started");
            assertTrue(Files.readString(folder.resolve("a~2.log")).endsWith("job a-1 started\n"));
            assertEquals(List.of("a.lock", "a~2.lock", "a~2.log", "b.lock", "b.log"), filesInHome());
        } finally {
            other.destroyForcibly();
        }
    }

    /** Locks a file until it is killed. */
    static final class Locker {
        private Locker() {}

        public static void main(final String[] args) throws Exception {
            try (FileChannel channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.lock();
                System.out.println("locked");
                System.in.read();
                Thread.currentThread().join();
            }
        }
    }

    @Test
    void shouldGoOnWithoutAFileWhereTheHomeFolderCannotBeWritten() throws IOException {
        LogFile.openInHome(context, Files.writeString(dir.resolve("home"), "no folder"), "a", 1 << 20, 3);
        assertTrue(console.toString().contains("node a has no log file: " + dir.resolve("home/.tutti/log")), console::toString);
        assertTrue(console.toString().endsWith("; give it one with --log, or none with --log none\n"), console::toString);
    }

    @Test
    void shouldSayOnceThatTheFileCannotBeWritten() {
        final PrintStream before = System.err;
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            // the file of the device is always full
            LogFile.open(context, Path.of("/dev/full"), 1 << 20, 3);
            daemon.info("job a-1 started");
            daemon.info("job a-1 ended");
        } finally {
            System.setErr(before);
        }
        assertEquals("tutti: log file cannot be written, and the node goes on without it: /dev/full: No space left on device; make room, or correct "
            + "its permissions\n", printed.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({"--log-size=1,size out of range: --log-size 1; at least 1K", "--log-size=big,not a size: --log-size big; expected for example 10M",
        "--log-files=1,number of log files out of range: --log-files 1; range=2..21"})
    void shouldRefuseSettingsThatMakeNoSense(final String option, final String message) {
        final StringWriter err = new StringWriter();
        assertEquals(2, Main.execute(new PrintWriter(err, true), "daemon", "--name", "a", "--log=" + dir.resolve("x.log"), option));
        assertEquals("tutti: " + message.replace(";", ",").replace("at least ", "min=") + "; try: tutti daemon --help\n", err.toString());
    }
}
