package tutti.junit;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;
import tutti.junit.rank.RankMain;
import tutti.junit.rank.RankResult;
import tutti.junit.rank.TestRequest;
import tutti.junit.rank.Transfer;

/** A job that runs a test: its files, its process, what its ranks print, and how it ends. */
final class RankJob implements AutoCloseable {
    /** How long after the limit the nodes end a job, and the command its output. */
    private static final int GRACE_SECONDS = 2;
    private static final long END_SECONDS = 30;
    private static final Pattern LABELLED = Pattern.compile("\\[\\d+\\] .*|\\[\\d+\\]");

    private final RankCluster cluster;
    private final TestRequest request;
    private final int ranks;
    private final Path folder;
    private final StringBuffer notes = new StringBuffer();

    /**
     * Prepares a job.
     *
     * @throws java.io.NotSerializableException when an argument of the test is not serializable
     */
    RankJob(final RankCluster cluster, final TestRequest request, final int ranks) throws IOException {
        final byte[] bytes = Transfer.write(request);
        this.cluster = cluster;
        this.request = request;
        this.ranks = ranks;
        this.folder = cluster.newFolder();
        Files.write(folder.resolve(TestRequest.FILE), bytes);
    }

    /** Runs the test. Throws its failure. */
    void run(final List<String> parameters, final int limitSeconds, final ClassLoader loader) throws Throwable {
        final List<String> arguments = new ArrayList<>(List.of("-n", Integer.toString(ranks), "--label", "--timeout",
            Integer.toString(limitSeconds + GRACE_SECONDS)));
        arguments.addAll(parameters);
        arguments.addAll(List.of("--cp", cluster.rankClasses() + File.pathSeparator + ClassPath.ofProgram(), RankMain.class.getName(),
            folder.toString()));
        final Process process = cluster.command("run", arguments).start();
        process.getOutputStream().close();
        // those of the test, also when another thread reads
        final PrintStream out = System.out;
        final PrintStream err = System.err;
        final CompletableFuture<Void> printed = CompletableFuture.runAsync(() -> read(process.inputReader(StandardCharsets.UTF_8), out, out),
            RankCluster.READERS);
        final CompletableFuture<Void> reported = CompletableFuture.runAsync(() -> read(process.errorReader(StandardCharsets.UTF_8), err, null),
            RankCluster.READERS);
        try {
            String stacks = "";
            final boolean ended = process.waitFor(limitSeconds, TimeUnit.SECONDS);
            if (!ended) {
                stacks = cluster.stacks();
                if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            }
            final int status = process.waitFor();
            printed.get(END_SECONDS, TimeUnit.SECONDS);
            reported.get(END_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                throw new AssertionError(name() + " did not end within " + limitSeconds + " s on " + ranks + " ranks\n" + notes.toString().strip()
                    + "\n\n" + stacks.strip());
            }
            evaluate(status, loader);
        } catch (final ExecutionException | TimeoutException e) {
            throw new IllegalStateException("output of the ranks cannot be read", e);
        } finally {
            process.destroy();
        }
    }

    /** Prints the lines of ranks, and others to {@code rest}, or to the notes when that is null. */
    private void read(final BufferedReader reader, final PrintStream ofRanks, final @Nullable PrintStream rest) {
        try (reader) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (rest != null || LABELLED.matcher(line).matches()) {
                    ofRanks.println(line);
                } else {
                    notes.append(line).append('\n');
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException("output of the job cannot be read", e);
        }
    }

    private String name() {
        return request.method();
    }

    private void evaluate(final int status, final ClassLoader loader) throws Throwable {
        final List<@Nullable RankResult> results = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            results.add(RankResult.read(folder, rank));
        }
        final List<RankResult> failed = new ArrayList<>();
        for (final RankResult result : results) {
            if (result != null && !result.isPassed()) {
                failed.add(result);
            }
        }
        if (!failed.isEmpty()) {
            throw failure(failed, results, loader);
        }
        final String missing = numbers(IntStream.range(0, ranks).filter(r -> results.get(r) == null));
        if (status != 0 || !missing.isEmpty()) {
            throw new AssertionError("the job of " + name() + " ended with status " + status + (missing.isEmpty() ? "" : " before the test on "
                + missing + " had ended") + "\n" + notes.toString().strip());
        }
        System.err.print(notes);
    }

    private Throwable failure(final List<RankResult> failed, final List<@Nullable RankResult> results, final ClassLoader loader) {
        final List<@Nullable Throwable> thrown = new ArrayList<>();
        for (final RankResult result : failed) {
            thrown.add(thrown(result, loader));
        }
        if (thrown.stream().allMatch(t -> t instanceof TestAbortedException)) {
            return describe(failed.getFirst(), thrown.getFirst(), "");
        }
        final String passed = numbers(IntStream.range(0, ranks).filter(r -> results.get(r) instanceof RankResult result && result.isPassed()));
        final String ended = numbers(IntStream.range(0, ranks).filter(r -> results.get(r) == null));
        final Throwable first = describe(failed.getFirst(), thrown.getFirst(), (passed.isEmpty() ? "" : "\npassed: " + passed)
            + (ended.isEmpty() ? "" : "\nended with the job: " + ended));
        for (int i = 1; i < failed.size(); i++) {
            first.addSuppressed(describe(failed.get(i), thrown.get(i), ""));
        }
        return first;
    }

    private static String numbers(final IntStream numbers) {
        final String text = numbers.mapToObj(Integer::toString).collect(Collectors.joining(", "));
        return text.isEmpty() ? "" : (text.contains(",") ? "ranks " : "rank ") + text;
    }

    private static @Nullable Throwable thrown(final RankResult result, final ClassLoader loader) {
        if (result.failure().isEmpty()) {
            return null;
        }
        try {
            return (Throwable) Transfer.read(Base64.getDecoder().decode(result.failure()), loader);
        } catch (final IOException | ClassNotFoundException | RuntimeException | LinkageError e) {
            // its text is there; an MPIException needs classes that only nodes have
            return null;
        }
    }

    /** Returns a failure that names the rank, with the stack that the test had there. */
    private Throwable describe(final RankResult result, final @Nullable Throwable thrown, final String others) {
        final String where = "rank " + result.rank() + " of " + ranks + " on node " + result.node() + ": ";
        if (thrown == null) {
            return new AssertionError(where + result.text() + others);
        }
        final Throwable described = switch (thrown) {
            case final TestAbortedException a -> new TestAbortedException(where + a.getMessage() + others, a);
            case final AssertionFailedError e when e.isExpectedDefined() && e.isActualDefined() -> new AssertionFailedError(where + e.getMessage()
                + others, e.getExpected(), e.getActual(), e);
            case final AssertionError e -> new AssertionFailedError(where + e.getMessage() + others, e);
            default -> new AssertionFailedError(where + thrown + others, thrown);
        };
        described.setStackTrace(thrown.getStackTrace());
        return described;
    }

    /** Deletes the files of the test. */
    @Override
    public void close() throws IOException {
        TuttiHome.delete(folder);
    }
}
