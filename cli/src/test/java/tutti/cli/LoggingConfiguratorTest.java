package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoggingConfiguratorTest {
    private static final String FILE = "logback.configurationFile";

    private final String file = System.getProperty(FILE);
    private final LoggerContext context = new LoggerContext();
    private final Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);

    @AfterEach
    void restore() {
        System.setProperty(FILE, file);
        context.stop();
    }

    @Test
    void shouldPrintWarningsToStandardError() {
        System.clearProperty(FILE);
        assertEquals(Configurator.ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY, new LoggingConfigurator().configure(context));
        assertEquals(Level.WARN, root.getLevel());
        assertTrue(root.iteratorForAppenders().next().isStarted());
    }

    @Test
    void shouldLeaveTheConfigurationToAFileThatIsNamed() {
        assertEquals(Configurator.ExecutionStatus.INVOKE_NEXT_IF_ANY, new LoggingConfigurator().configure(context));
        assertFalse(root.iteratorForAppenders().hasNext());
    }

    @Test
    void shouldBeFoundByLogback() {
        assertTrue(ServiceLoader.load(Configurator.class).stream().anyMatch(p -> p.type() == LoggingConfigurator.class));
    }
}
