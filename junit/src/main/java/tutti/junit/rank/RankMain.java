package tutti.junit.rank;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import mpi.MPI;
import mpi.MPIException;
import org.jspecify.annotations.Nullable;

/**
 * The program that the ranks of a test run, with the folder of the test as its argument: it reads the request there, runs the test and stores the
 * result.
 *
 * <p>A rank that fails waits at most a second for the results of the others, since its end ends them: so a failure of all ranks is told from that
 * of one.
 */
public final class RankMain {
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long POLL_MILLIS = 5;
    /** Errors by which the runtime ends a rank's threads: they are no failures of the test. */
    private static final String RUNTIME = "tutti.runtime.";

    private final Path folder;
    private final int rank;
    private final int size;

    private RankMain(final Path folder, final int rank, final int size) {
        this.folder = folder;
        this.rank = rank;
        this.size = size;
    }

    /** Runs a rank. Its argument is the folder. */
    public static void main(final String[] args) throws Throwable {
        final Path folder = Path.of(args[0]);
        final TestRequest request = (TestRequest) Objects.requireNonNull(
            Transfer.read(Files.readAllBytes(folder.resolve(TestRequest.FILE)), RankMain.class.getClassLoader()), "request of the test");
        MPI.Init(args);
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        new RankMain(folder, MPI.COMM_WORLD.getRank(), MPI.COMM_WORLD.getSize()).run(request);
    }

    private void run(final TestRequest request) throws Throwable {
        final String node = MPI.getNodeName();
        try {
            new TestRun(request).run();
            new RankResult(rank, node, "", "").store(folder);
            finalizeMpi();
        } catch (final Throwable e) {
            if (e.getClass().getName().startsWith(RUNTIME)) {
                throw e;
            }
            new RankResult(rank, node, stack(e), serialized(e)).store(folder);
            awaitOthers();
            throw e;
        }
    }

    private static void finalizeMpi() throws MPIException {
        if (!MPI.isFinalized()) {
            MPI.Finalize();
        }
    }

    private static String stack(final Throwable failure) {
        final StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text, true));
        return text.toString().stripTrailing();
    }

    private static String serialized(final @Nullable Throwable failure) {
        try {
            return Base64.getEncoder().encodeToString(Transfer.write(failure));
        } catch (final IOException | RuntimeException e) {
            // its text is there
            return "";
        }
    }

    private void awaitOthers() throws InterruptedException {
        final long end = System.nanoTime() + GRACE_NANOS;
        while (System.nanoTime() < end && !IntStream.range(0, size).allMatch(r -> Files.exists(folder.resolve(RankResult.file(r))))) {
            Thread.sleep(POLL_MILLIS);
        }
    }
}
