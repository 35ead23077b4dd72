package tutti.itest;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command as {@link Cli} runs it, but in this JVM: for tests that need hundreds of commands, or one that takes no time of its own. */
final class Here {
    private static final Method EXECUTE = load();

    private Here() { }

    private static Method load() {
        try {
            System.setProperty("tutti.dist", Home.BUNDLES.getParent().toString());
            final List<URL> jars = new ArrayList<>();
            for (final Path jar : Home.jars()) {
                jars.add(jar.toUri().toURL());
            }
            // stays open: it serves until the tests end
            final Method execute = new URLClassLoader("command", jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())
                .loadClass("tutti.daemon.command.Main").getDeclaredMethod("execute", PrintWriter.class, String[].class);
            execute.setAccessible(true);
            return execute;
        } catch (final Exception e) {
            throw new IllegalStateException("command cannot be loaded", e);
        }
    }

    /** Runs a command; its standard output is what is printed in this JVM meanwhile. */
    static synchronized Cli.Result run(final String... args) throws Exception {
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        final PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            return execute(printed, args);
        } finally {
            System.setOut(before);
        }
    }

    /** Runs a command that prints nothing, beside others. */
    static Cli.Result beside(final String... args) throws Exception {
        return execute(new ByteArrayOutputStream(), args);
    }

    private static Cli.Result execute(final ByteArrayOutputStream out, final String... args) throws Exception {
        final long since = System.nanoTime();
        final StringWriter err = new StringWriter();
        final int status = (int) EXECUTE.invoke(null, new PrintWriter(err, true), args);
        return new Cli.Result(status, out.toString(StandardCharsets.UTF_8), err.toString(), (System.nanoTime() - since) / 1_000_000);
    }
}
