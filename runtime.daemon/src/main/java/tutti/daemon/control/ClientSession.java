package tutti.daemon.control;

import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Conversation;
import tutti.daemon.job.JobPlan;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.JobLauncher;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.part.RunningJob;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Role;

/** Session of a command that is connected to this node: runs its job, and checks its role. {@link CommandRequests} answers what it asks. */
final class ClientSession implements ControlChannel.CloseListener, Conversation.Gate, JobLauncher {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);
    /** Most requests at once on one link; commands make one. */
    private static final int MAX_REQUESTS = 16;

    private final ControlChannel channel;
    private final NodeServer node;
    private final Role role;
    private final @Nullable String owner;
    private final String peer;
    private @Nullable RunningJob job;
    /** Whether the client wanted the end of its job, perhaps before that was launched. Guarded by this object, as the following field. */
    private boolean isCancelled;
    private boolean isLost;

    /**
     * Creates a session.
     *
     * @param role  what the command may request
     * @param owner who runs the command, as the owner of jobs; null if that is not known
     * @param peer  address of the command, for the log
     */
    ClientSession(final ControlChannel channel, final NodeServer node, final Role role, final @Nullable String owner,
        final String peer) {
        this.channel = channel;
        this.node = node;
        this.role = role;
        this.owner = owner;
        this.peer = peer;
        channel.conversation().serve(ClusterRequests.class, new CommandRequests(node, this, role, channel.conversation().closed()), this)
            .serve(JobLauncher.class, this, this).limit(MAX_REQUESTS);
    }

    @Override
    public CompletionStage<JobEnd> run(final RunRequest request, final InputStream files) {
        return Conversation.result(() -> launch(request, files)).thenCompose(RunningJob::ended);
    }

    private synchronized RunningJob launch(final RunRequest request, final InputStream files) throws CallFailedException {
        if (job != null) {
            // Cause: a breach of the protocol; a [bound](security.md#bounds-of-a-node). Remedy: run the same release everywhere, or report it.
            throw new CallFailedException(ExitStatus.FAILED, "a link runs one job");
        }
        try {
            final RunningJob made = node.jobs().launch(JobPlan.of(request, owner), files, channel.conversation().peer(JobClient.class));
            job = made;
            if (isLost) {
                made.clientLost();
            } else if (isCancelled) {
                cancel(made);
            }
            return made;
        } catch (final IOException e) {
            throw new CallFailedException(ExitStatus.FAILED, Protocol.oneLine(e), e);
        }
    }

    @Override
    public void cancel() {
        final RunningJob current;
        synchronized (this) {
            isCancelled = true;
            current = job;
        }
        if (current != null) {
            cancel(current);
        }
    }

    private static void cancel(final RunningJob job) {
        job.end(ExitStatus.CANCELLED, "job was cancelled by its client");
    }

    @Override
    public void check(final String method, final Role needed) throws CallFailedException {
        if (role.includes(needed)) {
            return;
        }
        final String request = method.substring(method.indexOf('.') + 1).toLowerCase(Locale.ROOT);
        final long refused = node.refusals().count();
        if (refused > 0) {
            // Cause: the role of a command does not suffice. Remedy: give its user the secret of the role, if it should.
            LOG.warn("request refused: peer={}, request={}, role={}, needed={}{}", peer, request, role, needed,
                refused == 1 ? "" : ", requests=" + refused);
        }
        throw new CallFailedException(ExitStatus.DENIED, "not allowed: request=" + request + ", role=" + role + ", needed=" + needed + "; set "
            + ClusterSecret.VARIABLE + " to a file with the secret or certificate for role " + needed);
    }

    @Override
    public void closed(final String reason) {
        final RunningJob current;
        synchronized (this) {
            isLost = true;
            current = job;
        }
        if (current != null) {
            current.clientLost();
        }
    }
}
