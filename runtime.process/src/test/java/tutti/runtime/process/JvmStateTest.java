package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.InputStream;
import java.io.PrintStream;
import java.lang.Thread.UncaughtExceptionHandler;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.process.owner.RankOutcome.Kind;

/** Tests that a job leaves the state that programs of the JVM share as it was. */
@Timeout(120)
@Isolated
class JvmStateTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void compile() {
        Programs.compile(folder, Map.of("Changes", """
            import java.io.*;
            import java.util.*;
            class Broken extends OutputStream {
                @Override public void write(int b) { throw new IllegalStateException("broken"); }
            }
            class Streams {
                public static void main(String[] args) throws Exception {
                    PrintStream broken = new PrintStream(new Broken());
                    System.class.getMethod("setOut", PrintStream.class).invoke(null, broken);
                    System.class.getMethod("setErr", PrintStream.class).invoke(null, broken);
                    System.class.getMethod("setIn", InputStream.class).invoke(null, InputStream.nullInputStream());
                    Thread.class.getMethod("setDefaultUncaughtExceptionHandler", Thread.UncaughtExceptionHandler.class)
                        .invoke(null, (Thread.UncaughtExceptionHandler) (t, e) -> { throw new IllegalStateException(e); });
                }
            }
            class Defaults {
                public static void main(String[] args) {
                    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
                    TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
                }
            }
            class Clears { public static void main(String[] args) { System.getProperties().clear(); } }
            class Sets {
                public static void main(String[] args) {
                    System.setProperty("tutti.test.left", "behind");
                    System.setProperty("java.version", "1");
                    System.getProperties().put(1, 2);
                }
            }
            class Replaces { public static void main(String[] args) { System.setProperties(new Properties()); } }
            class Hostile extends Properties {
                @Override public String getProperty(String key) { throw new IllegalStateException("hostile"); }
                public static void main(String[] args) { System.setProperties(new Hostile()); }
            }
            """));
    }

    private static void run(final String program) {
        try (TestRank rank = new TestRank(folder, program)) {
            assertEquals(Kind.RETURNED, rank.run().kind(), rank::err);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Streams", "Defaults", "Clears", "Sets", "Replaces", "Hostile"})
    void shouldRestoreEverythingWhenTheLastJobEnds(final String program) {
        final PrintStream out = System.out;
        final PrintStream err = System.err;
        final InputStream in = System.in;
        final UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        final Properties properties = System.getProperties();
        final Map<Object, Object> entries = new HashMap<>(properties);
        final Locale locale = Locale.getDefault();
        final TimeZone zone = TimeZone.getDefault();
        RankStreams.install();
        try {
            run(program);
        } finally {
            RankStreams.uninstall();
        }
        assertSame(out, System.out);
        assertSame(err, System.err);
        assertSame(in, System.in);
        assertSame(handler, Thread.getDefaultUncaughtExceptionHandler());
        assertSame(properties, System.getProperties());
        assertEquals(entries, new HashMap<>(properties));
        assertEquals(locale, Locale.getDefault());
        assertEquals(zone, TimeZone.getDefault());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Streams", "Clears", "Replaces", "Hostile"})
    void shouldRestoreWhatOthersNeedWhenAJobEndsBesideAnother(final String program) {
        final String version = System.getProperty("java.version");
        RankStreams.install();
        try {
            final PrintStream routed = System.out;
            RankStreams.install();
            run(program);
            RankStreams.uninstall();
            assertSame(routed, System.out);
            assertEquals(version, System.getProperty("java.version"));
        } finally {
            RankStreams.uninstall();
        }
        assertNotSame(RoutedPrintStream.class, System.out.getClass());
    }

    @Test
    void shouldKeepAPropertyOfARunningJobWhenAnotherEnds() {
        RankStreams.install();
        try {
            System.setProperty("tutti.test.own", "value");
            RankStreams.install();
            run("Clears");
            System.setProperty("tutti.test.own", "value");
            RankStreams.uninstall();
            assertEquals("value", System.getProperty("tutti.test.own"));
        } finally {
            RankStreams.uninstall();
        }
        assertNull(System.getProperty("tutti.test.own"));
    }
}
