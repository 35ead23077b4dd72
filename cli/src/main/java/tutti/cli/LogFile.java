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
import ch.qos.logback.core.util.FileSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.policy.LongRange;

/** Log file of a node, and its options: where it is, and when it is renamed and begun anew. Without a folder or a file for it there is none. */
final class LogFile {
    private static final String TUTTI = "tutti";
    private static final long LEAST = 1 << 10;
    private static final int MOST_FILES = 21;

    @Option(names = "--log", paramLabel = "FILE", description = "log nodes that come, go and are lost, jobs with their start, end and status, "
        + "and all warnings to that file; by default log/tutti.log in the folder of --dir, if one is given")
    private @Nullable Path file;

    @Option(names = "--log-size", paramLabel = "BYTES", defaultValue = "10M", description = "size at which the log file is renamed and begun anew, "
        + "default: ${DEFAULT-VALUE}")
    private String size = "10M";

    @Option(names = "--log-files", paramLabel = "N", defaultValue = "5", description = "number of log files that are kept, FILE and FILE.1 to "
        + "FILE.(N-1), default: ${DEFAULT-VALUE}")
    private int files = 5;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /**
     * Begins to log to the file, if there is one.
     *
     * @param dir folder of the node's files; null for a temporary one
     */
    void open(final @Nullable Path dir) {
        final Path to = file != null ? file : dir == null ? null : dir.resolve("log").resolve("tutti.log");
        final long bytes = bytes();
        if (files < 2 || files > MOST_FILES) {
            throw usage("number of log files out of range: --log-files " + files + ", range=2.." + MOST_FILES, null);
        }
        if (to == null || System.getProperty("logback.configurationFile") != null
            || !(LoggerFactory.getILoggerFactory() instanceof final LoggerContext context)) {
            return;
        }
        try {
            Files.createDirectories(to.toAbsolutePath().getParent());
            if (Files.isDirectory(to) || Files.exists(to) && !Files.isWritable(to)) {
                throw new IOException("not a file that can be written");
            }
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, "log file cannot be written: " + to + ": " + Protocol.oneLine(e)
                + "; choose another one with --log", e);
        }
        open(context, to.toAbsolutePath(), bytes, files);
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
        appender.start();
        root.addAppender(appender);
        if (root.getLevel().isGreaterOrEqual(Level.WARN)) {
            context.getLogger(TUTTI).setLevel(Level.INFO);
        }
    }
}
