package tutti.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.filter.ThresholdFilter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.status.StatusListener;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.policy.LongRange;

/**
 * Log file of a node, and its options: where it is, and when it is renamed and begun anew.
 *
 * <p>A node without a folder of its own logs to one in the home folder of the user. Processes of nodes with the same name have a file each, which
 * they lock.
 */
final class LogFile {
    private static final String TUTTI = "tutti";
    private static final String LOG = "log";
    /** How a status of logback begins that says that the file is written again. */
    private static final String RECOVERED = "Recovered";
    /** Value of the option for no file. */
    private static final Path NONE = Path.of("none");
    /** Most processes of nodes with the same name that have a file in the home folder. */
    private static final int MOST_PROCESSES = 9;
    private static final long LEAST = 1 << 10;
    private static final int MOST_FILES = 21;

    @Option(names = "--log", paramLabel = "FILE", description = "log nodes that come, go and are lost, jobs with their start, end and status, "
        + "and all warnings to that file, or to none; by default log/tutti.log in the folder of --dir, else .tutti/log/NAME.log in the home folder")
    private @Nullable Path file;

    @Option(names = "--log-size", paramLabel = "BYTES", defaultValue = "10M", description = "size at which the log file is renamed and begun anew, "
        + "default: ${DEFAULT-VALUE}")
    private String size = "10M";

    @Option(names = "--log-files", paramLabel = "N", defaultValue = "5", description = "number of log files that are kept, FILE and FILE.1 to "
        + "FILE.(N-1), default: ${DEFAULT-VALUE}")
    private int files = 5;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /** Keeps the lock of a file in the home folder until the process ends. */
    private static final AtomicReference<FileChannel> LOCK = new AtomicReference<>();

    /**
     * Begins to log to the file, if there is one.
     *
     * @param dir  folder of the node's files; null for a temporary one
     * @param name the node's name, by which a file in the home folder is called; null for none there
     */
    void open(final @Nullable Path dir, final @Nullable String name) {
        final long bytes = bytes();
        if (files < 2 || files > MOST_FILES) {
            throw usage("number of log files out of range: --log-files " + files + ", range=2.." + MOST_FILES, null);
        }
        if (NONE.equals(file) || System.getProperty("logback.configurationFile") != null
            || !(LoggerFactory.getILoggerFactory() instanceof final LoggerContext context)) {
            return;
        }
        final Path chosen = file != null ? file : dir != null ? dir.resolve(LOG).resolve("tutti.log") : null;
        if (chosen == null) {
            if (name != null) {
                openInHome(context, Path.of(System.getProperty("user.home")), name, bytes, files);
            }
            return;
        }
        final Path to = chosen.toAbsolutePath();
        try {
            prepare(to);
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, "log file cannot be written: " + to + ": " + Protocol.oneLine(e)
                + "; choose another one with --log", e);
        }
        open(context, to, bytes, files);
    }

    private static void prepare(final Path to) throws IOException {
        Files.createDirectories(to.getParent());
        if (Files.isDirectory(to) || !Files.isWritable(Files.exists(to) ? to : to.getParent())) {
            throw new IOException("not a file that can be written");
        }
    }

    /** Begins to log to the first file in the home folder that no other process has; a node that cannot write there has no file. */
    static void openInHome(final LoggerContext context, final Path home, final String name, final long bytes, final int files) {
        final Path folder = home.toAbsolutePath().resolve(".tutti").resolve(LOG);
        final org.slf4j.Logger log = context.getLogger(LogFile.class.getName());
        try {
            Files.createDirectories(folder);
            for (int i = 1; i <= MOST_PROCESSES; i++) {
                final String base = i == 1 ? name : name + "~" + i;
                final FileChannel channel = FileChannel.open(folder.resolve(base + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                if (channel.tryLock() != null) {
                    LOCK.set(channel);
                    final Path to = folder.resolve(base + ".log");
                    prepare(to);
                    open(context, to, bytes, files);
                    return;
                }
                channel.close();
            }
            // Cause: many nodes of one name run, or have ended by force. Remedy: another name, or as the message says.
            log.warn("node {} has no log file: other nodes of this name have all that are permitted: folder={}; give it one with --log", name,
                folder);
        } catch (final IOException | OverlappingFileLockException e) {
            // Cause: the home folder cannot be written.
            log.warn("node {} has no log file: {}: {}; give it one with --log, or none with --log none", name, folder, Protocol.oneLine(e));
        }
    }

    private long bytes() {
        final LongRange range;
        try {
            range = LongRange.of(size);
        } catch (final IllegalArgumentException e) {
            throw usage("not a size: --log-size " + size + ", expected for example 10M", e);
        }
        if (range.min() != range.max() || range.min() < LEAST) {
            throw usage("size out of range: --log-size " + size + ", min=1K", null);
        }
        return range.min();
    }

    private RuntimeException usage(final String text, final @Nullable Exception cause) {
        return command == null ? new IllegalArgumentException(text, cause) : new ParameterException(command.commandLine(), text, cause);
    }

    /** Adds the file to a configured context; what the console prints stays as it is. */
    static void open(final LoggerContext context, final Path file, final long bytes, final int files) {
        final var root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        final Appender<ILoggingEvent> console = root.getAppender(LoggingConfigurator.CONSOLE);
        if (console != null) {
            final ThresholdFilter threshold = new ThresholdFilter();
            threshold.setLevel(root.getLevel().toString());
            threshold.start();
            console.addFilter(threshold);
        }
        final PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{\"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\"} %-5level %logger{24}: %msg%n");
        encoder.start();
        final RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setContext(context);
        appender.setName("file");
        appender.setFile(file.toString());
        appender.setEncoder(encoder);
        final SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
        trigger.setContext(context);
        trigger.setMaxFileSize(new FileSize(bytes));
        // by default it looks once a minute, in which a file may grow by any number of bytes
        trigger.setCheckIncrement(Duration.buildByMilliseconds(0));
        trigger.start();
        final FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
        rolling.setContext(context);
        rolling.setParent(appender);
        rolling.setFileNamePattern(file + ".%i");
        rolling.setMinIndex(1);
        rolling.setMaxIndex(files - 1);
        rolling.start();
        appender.setRollingPolicy(rolling);
        appender.setTriggeringPolicy(trigger);
        context.getStatusManager().add(new WriteFailures(file));
        appender.start();
        root.addAppender(appender);
        if (root.getLevel().isGreaterOrEqual(Level.WARN)) {
            context.getLogger(TUTTI).setLevel(Level.INFO);
        }
    }

    /** Prints that the file cannot be written, once until it can be written again; logback tries that again and again. */
    private static final class WriteFailures implements StatusListener {
        private final Path file;
        private final AtomicBoolean isPrinted = new AtomicBoolean();

        WriteFailures(final Path file) {
            this.file = file;
        }

        @Override
        public void addStatusEvent(final Status status) {
            if (status.getLevel() == Status.INFO && status.getMessage().startsWith(RECOVERED)) {
                isPrinted.set(false);
            } else if (status.getLevel() == Status.ERROR && isPrinted.compareAndSet(false, true)) {
                final Throwable cause = status.getThrowable();
                System.err.println("tutti: log file cannot be written, and the node goes on without it: " + file + ": "
                    + (cause == null ? status.getMessage() : Protocol.oneLine(cause)) + "; make room, or correct its permissions");
            }
        }
    }
}
