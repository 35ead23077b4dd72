package tutti.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Logging of commands, the launcher, the daemon and all bundles, on standard error; {@code TUTTI_LOG=info} or {@code debug} says more.
 *
 * <p>{@link LogFile} adds a file for nodes. A file of logback's own, {@code -Dlogback.configurationFile}, replaces both. This is no such file
 * because the reader of these files and the JDK's XML parser would be several hundred classes for each short command.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class LoggingConfigurator extends ContextAwareBase implements Configurator {
    /** Name of the appender to standard error. */
    static final String CONSOLE = "console";

    @Override
    public ExecutionStatus configure(final LoggerContext context) {
        if (System.getProperty("logback.configurationFile") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        final PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{HH:mm:ss.SSS} %-5level [%thread] %logger{24}: %msg%n");
        encoder.start();
        final ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setName(CONSOLE);
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        final var root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.toLevel(System.getenv("TUTTI_LOG"), Level.WARN));
        root.addAppender(appender);
        if (System.getenv("TUTTI_LOG") == null) {
            // it warns of every message from a node that is no member yet, or no more
            context.getLogger("org.jgroups").setLevel(Level.ERROR);
        }
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
