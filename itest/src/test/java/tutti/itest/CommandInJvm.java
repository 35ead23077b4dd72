package tutti.itest;

import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Runs the command like {@link TuttiScript}, but in this JVM, in a hundredth of the time: for tests of daemons. Several commands may run at the
 * same time, each with standard streams of its own. A run without a cluster needs {@link TuttiScript}.
 */
final class CommandInJvm {
    /** Streams of the command that the thread runs or that started the thread; null for the tests themselves. */
    private static final InheritableThreadLocal<Streams> STREAMS = new InheritableThreadLocal<>();
    private static final Method EXECUTE = load();

    /** Standard streams of a command. */
    private record Streams(InputStream in, ByteArrayOutputStream out, ByteArrayOutputStream err) {}

    private CommandInJvm() {}

    private static Method load() {
        try {
            System.setProperty("tutti.dist", ProjectPaths.BUNDLES.getParent().toString());
            final List<URL> jars = new ArrayList<>();
            for (final Path jar : ProjectPaths.jars()) {
                jars.add(jar.toUri().toURL());
            }
            // stays open until the tests end
            final Method execute = new URLClassLoader("command", jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())
                .loadClass("tutti.cli.Main").getDeclaredMethod("execute", PrintWriter.class, String[].class);
            execute.setAccessible(true);
            System.setOut(new PrintStream(new OutputPerCommand(System.out, Streams::out), true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(new OutputPerCommand(System.err, Streams::err), true, StandardCharsets.UTF_8));
            System.setIn(new InputPerCommand());
            return execute;
        } catch (final Exception e) {
            throw new IllegalStateException("command cannot be loaded", e);
        }
    }

    /** Runs a command with empty standard input. */
    static TuttiScript.Result run(final String... args) throws Exception {
        return execute(new Streams(InputStream.nullInputStream(), new ByteArrayOutputStream(), new ByteArrayOutputStream()), args);
    }

    /** Starts a command. */
    static Running start(final String... args) throws IOException {
        return new Running(args);
    }

    private static TuttiScript.Result execute(final Streams streams, final String... args) throws Exception {
        final long since = System.nanoTime();
        STREAMS.set(streams);
        try {
            final int status = (int) EXECUTE.invoke(null, new PrintWriter(streams.err, true, StandardCharsets.UTF_8), args);
            return new TuttiScript.Result(status, streams.out.toString(StandardCharsets.UTF_8), streams.err.toString(StandardCharsets.UTF_8),
                (System.nanoTime() - since) / 1_000_000);
        } finally {
            STREAMS.remove();
        }
    }

    /** A command that runs while the test continues. */
    static final class Running {
        /** Standard input of the command. */
        final OutputStream in = new PipedOutputStream();
        private final Streams streams = new Streams(new PipedInputStream((PipedOutputStream) in), new ByteArrayOutputStream(),
            new ByteArrayOutputStream());
        private final FutureTask<TuttiScript.Result> end;

        private Running(final String... args) throws IOException {
            end = new FutureTask<>(() -> execute(streams, args));
            Thread.ofPlatform().daemon().name("command").start(end);
        }

        /** Waits until the command has printed {@code count} lines or has ended; returns all lines printed. */
        List<String> lines(final int count) {
            return lines(count, Duration.ofSeconds(60));
        }

        /** As the other form, with a time limit. */
        List<String> lines(final int count, final Duration limit) {
            await().atMost(limit).pollInterval(Duration.ofMillis(5))
                .until(() -> end.isDone() || printed().chars().filter(c -> c == '\n').count() >= count);
            return printed().lines().toList();
        }

        /** Waits until the command has printed a text on its error output. */
        void awaitError(final String text) {
            await().atMost(Duration.ofSeconds(60)).until(() -> end.isDone() || streams.err.toString(StandardCharsets.UTF_8).contains(text));
        }

        /** Returns whether the command ends within a time limit. */
        boolean endsWithin(final Duration limit) throws Exception {
            try {
                end.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            } catch (final TimeoutException e) {
                return false;
            }
            return true;
        }

        private String printed() {
            return streams.out.toString(StandardCharsets.UTF_8);
        }

        /** Closes standard input and waits for the end of the command, at most 90 s. */
        TuttiScript.Result end() throws Exception {
            in.close();
            return end.get(90, TimeUnit.SECONDS);
        }
    }

    /** Passes output to the stream of the command that prints it, or to that of the tests. */
    private static final class OutputPerCommand extends OutputStream {
        private final OutputStream tests;
        private final Function<Streams, OutputStream> selector;

        OutputPerCommand(final OutputStream tests, final Function<Streams, OutputStream> part) {
            this.tests = tests;
            this.selector = part;
        }

        private OutputStream stream() {
            final Streams streams = STREAMS.get();
            return streams == null ? tests : selector.apply(streams);
        }

        @Override
        public void write(final int b) throws IOException {
            stream().write(b);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length) throws IOException {
            stream().write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            stream().flush();
        }
    }

    /** Reads from the standard input of the calling command; empty for the tests. */
    private static final class InputPerCommand extends InputStream {
        private static InputStream stream() {
            final Streams streams = STREAMS.get();
            return streams == null ? InputStream.nullInputStream() : streams.in;
        }

        @Override
        public int read() throws IOException {
            return stream().read();
        }

        @Override
        public int read(final byte[] bytes, final int offset, final int length) throws IOException {
            return stream().read(bytes, offset, length);
        }
    }
}
