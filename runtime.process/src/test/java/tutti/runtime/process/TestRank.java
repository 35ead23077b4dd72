package tutti.runtime.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tutti.runtime.process.owner.RankHooks;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutput;
import tutti.runtime.process.owner.RankProgram;

/** A rank whose output is recorded. */
final class TestRank implements RankOutput, AutoCloseable {
    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    final ByteArrayOutputStream err = new ByteArrayOutputStream();
    final List<String> writes = new ArrayList<>();
    final ProgramClassPath classPath;
    final RankProcess process;
    private RankLoader loader;

    TestRank(final Path folder, final String mainClass, final String... args) {
        this(folder, 0, null, RankHooks.NONE, mainClass, args);
    }

    TestRank(final Path folder, final int rank, final InputStream in, final RankHooks hooks, final String mainClass, final String... args) {
        this(folder, new RankProgram("job", rank, mainClass, List.of(args)), in, hooks);
    }

    TestRank(final Path folder, final RankProgram program, final InputStream in, final RankHooks hooks) {
        try {
            classPath = ProgramClassPath.open(List.of(folder));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        loader = new RankLoader(classPath, new SharedClasses(List.of()));
        process = new RankProcess(program, loader, this, in, hooks);
    }

    /** Starts the rank, waits for its end, and returns the outcome. */
    RankOutcome run() {
        process.start();
        return end();
    }

    RankOutcome end() {
        return process.ended().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Override
    public synchronized void write(final boolean error, final byte[] bytes, final int offset, final int length) {
        (error ? err : out).write(bytes, offset, length);
        writes.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
        notifyAll();
    }

    /** Returns the loader and drops the reference to it. */
    RankLoader release() {
        final RankLoader released = loader;
        loader = null;
        return released;
    }

    synchronized String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    synchronized String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** Waits until the rank has printed the text. */
    synchronized void awaitOut(final String text) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        try {
            while (!out.toString(StandardCharsets.UTF_8).contains(text)) {
                final long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) {
                    throw new AssertionError("not printed: " + text + ", printed=" + out());
                }
                wait(left);
            }
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        process.terminate("the test is over");
        end();
        classPath.close();
    }
}
