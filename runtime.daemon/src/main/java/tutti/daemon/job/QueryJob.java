package tutti.daemon.job;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.part.OutputClient;
import tutti.daemon.part.RunningJob;
import tutti.daemon.protocol.Protocol;

/** Client of a job whose program every node has, and whose output this node wants. Safe for any thread. */
public final class QueryJob extends OutputClient {
    /** Most bytes of output; the rest is dropped, and the job fails. */
    private static final int MOST_BYTES = 64 << 20;
    /** Most bytes of error output that are kept. */
    private static final int MOST_ERROR_BYTES = 16 << 10;
    private static final long LIMIT_MILLIS = 60_000;
    /** These jobs run programs of the node itself. */
    private static final String OWNER = "node";
    private static final Logger LOG = LoggerFactory.getLogger(QueryJob.class);

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private @Nullable String refusal;

    private QueryJob() {}

    /**
     * Runs a job. Blocks.
     *
     * @param mainClass  class of the program, in bundle {@code mpi.api}
     * @param ranks      number of ranks; 0 for one per core
     * @param parameters parameters of the job, by name
     * @param user       who wants it
     * @return what the program printed
     * @throws IOException with one line that says why the job failed
     */
    public static byte[] run(final String mainClass, final List<String> args, final int ranks, final Map<String, String> parameters,
        final String user,
        final ClusterJobs jobs) throws IOException, InterruptedException {
        final QueryJob client = new QueryJob();
        final RunRequest run = new RunRequest(ranks, RunRequest.Mapping.BLOCK, List.of(), mainClass, args, List.of(), parameters, null, LIMIT_MILLIS,
            mainClass.substring(mainClass.lastIndexOf('.') + 1), user, Map.of(), false, false, null);
        final RunningJob job = jobs.launch(JobPlan.of(run, OWNER), InputStream.nullInputStream(), client);
        try {
            return client.result(job.ended().toCompletableFuture().get(), run.program());
        } catch (final ExecutionException e) {
            throw new IOException(Protocol.oneLine(e), e);
        } catch (final InterruptedException e) {
            job.end(ExitStatus.CANCELLED, "nobody waits for its output any more");
            throw e;
        }
    }

    private synchronized byte[] result(final JobEnd end, final String program) throws IOException {
        errors.toString(StandardCharsets.UTF_8).lines().forEach(l -> LOG.info("{} of the node printed: {}", program, l));
        if (refusal != null) {
            throw new IOException(refusal);
        }
        if (end.status() != ExitStatus.OK) {
            final String text = end.text().isBlank() ? errors.toString(StandardCharsets.UTF_8) : end.text();
            throw new IOException(text.lines().filter(l -> !l.isBlank()).findFirst().orElse("job failed: status=" + end.status()).strip());
        }
        return output.toByteArray();
    }

    @Override
    protected synchronized void receive(final OutputPiece piece) {
        final boolean error = piece.kind() == OutputPiece.Kind.ERROR;
        final ByteArrayOutputStream to = error ? errors : output;
        if (to.size() + piece.bytes().length <= (error ? MOST_ERROR_BYTES : MOST_BYTES)) {
            to.writeBytes(piece.bytes());
        } else if (!error) {
            refusal = "the answer is too long: max=" + MOST_BYTES + " bytes; ask for fewer ranks";
        }
    }
}
