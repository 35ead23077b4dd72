package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
    private final Logger daemon = context.getLogger("tutti.daemon.control.JobHistory");
    private final OutputStream console = new ByteArrayOutputStream();

    @TempDir
    private Path dir;

    @BeforeEach
    void configure() {
        System.clearProperty(FILE);
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
        assertEquals(List.of("INFO  t.d.control.JobHistory: job a-1 started", "WARN  t.d.control.JobHistory: disk is full"),
            Files.readAllLines(file).stream().map(l -> l.substring(l.indexOf(' ') + 1)).toList());
        final String printed = ((ByteArrayOutputStream) console).toString(StandardCharsets.UTF_8);
        assertTrue(printed.matches("[0-9:.]+ WARN  \\[\\S+\\] t.d.control.JobHistory: disk is full\\R"), printed);
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

    @ParameterizedTest
    @CsvSource({"--log-size=1,size out of range: --log-size 1; at least 1K", "--log-size=big,not a size: --log-size big; expected for example 10M",
        "--log-files=1,number of log files out of range: --log-files 1; range=2..21"})
    void shouldRefuseSettingsThatMakeNoSense(final String option, final String message) {
        final StringWriter err = new StringWriter();
        assertEquals(2, Main.execute(new PrintWriter(err, true), "daemon", "--name", "a", "--log=" + dir.resolve("x.log"), option));
        assertEquals("tutti: " + message.replace(";", ",").replace("at least ", "min=") + "; try: tutti daemon --help\n", err.toString());
    }
}
