package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Records what a class logs while a test runs, on whatever thread. Register it as a field of the test with {@code @RegisterExtension}. It also has
 * lines of tests that run at the same time in the same JVM: compare texts that only the own test logs.
 */
public final class LogLines implements BeforeEachCallback, AfterEachCallback {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Logger logger;
    private final List<String> lines = new ArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(final ILoggingEvent event) {
            synchronized (lines) {
                lines.add(event.getFormattedMessage());
                lines.notifyAll();
            }
        }
    };

    /** Creates a record of what a class logs. */
    public LogLines(final Class<?> type) {
        this(type.getName());
    }

    /** Creates a record of what a logger and those below it log: for classes that the test cannot see. */
    public LogLines(final String logger) {
        this.logger = logback().getLogger(logger);
    }

    /** Returns the context of all loggers. While another thread opens it, SLF4J gives others a substitute. */
    private static LoggerContext logback() {
        while (true) {
            if (LoggerFactory.getILoggerFactory() instanceof final LoggerContext context) {
                return context;
            }
            Thread.yield();
        }
    }

    @Override
    public void beforeEach(final ExtensionContext test) {
        appender.start();
        logger.addAppender(appender);
    }

    @Override
    public void afterEach(final ExtensionContext test) {
        logger.detachAppender(appender);
        appender.stop();
    }

    /** Returns the lines until now. */
    public List<String> lines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    /** Checks that a line begins with a text. */
    public void assertLine(final String start) {
        final List<String> all = lines();
        assertTrue(all.stream().anyMatch(l -> l.startsWith(start)), () -> "no line begins with: " + start + "\n" + String.join("\n", all));
    }

    /** Waits until a line begins with a text. */
    public void awaitLine(final String start) throws InterruptedException {
        final long end = System.nanoTime() + LIMIT_NANOS;
        synchronized (lines) {
            long left = LIMIT_NANOS;
            while (left > 0 && lines.stream().noneMatch(l -> l.startsWith(start))) {
                TimeUnit.NANOSECONDS.timedWait(lines, left);
                left = end - System.nanoTime();
            }
        }
        assertLine(start);
    }
}
