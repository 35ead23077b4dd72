package tutti.daemon.control;

import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Conversation;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Role;

/** Session of a command that is connected to this node: runs its job, and checks its role. {@link CommandRequests} answers what it asks. */
final class ClientSession implements ChannelReceiver, Conversation.Gate {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);
    /** Most requests at once on one link; commands make one. */
    private static final int MAX_REQUESTS = 16;

    private final ControlChannel channel;
    private final NodeService node;
    private final Role role;
    private final @Nullable String owner;
    private final String peer;
    private volatile @Nullable JobCoordinator job;
    private volatile boolean isRefused;

    /**
     * Creates a session.
     *
     * @param role  what the command may request
     * @param owner who runs the command, as the owner of jobs; null if that is not known
     * @param peer  address of the command, for the log
     */
    ClientSession(final ControlChannel channel, final NodeService node, final Role role, final @Nullable String owner,
        final String peer) {
        this.channel = channel;
        this.node = node;
        this.role = role;
        this.owner = owner;
        this.peer = peer;
        channel.conversation().serve(ClusterRequests.class, new CommandRequests(node, this, role), this).limit(MAX_REQUESTS);
    }

    @Override
    public void message(final Message message) {
        switch (message) {
            case Message.Run run -> run(run);
            case Message.CancelRun c -> {
                final JobCoordinator current = job;
                if (current != null) {
                    current.end(ExitStatus.CANCELLED, "job was cancelled by its client");
                }
            }
            default -> throw new IllegalStateException("unexpected message from a command: " + message.getClass().getSimpleName());
        }
    }

    private void run(final Message.Run run) {
        if (job != null) {
            throw new IllegalStateException("a link runs one job");
        }
        try {
            check("run", Role.RUN);
            launch(run);
        } catch (final CallFailedException e) {
            isRefused = true;
            channel.post(new Message.Done(e.status(), String.valueOf(e.getMessage())));
        }
    }

    private void launch(final Message.Run run) {
        try {
            job = node.launch(run, owner, channel);
        } catch (final IOException e) {
            isRefused = true;
            channel.post(new Message.Done(ExitStatus.FAILED, Protocol.oneLine(e)));
        }
    }

    /** Returns whether this node or its peer is at work for the other. */
    boolean isBusy() {
        final JobCoordinator current = job;
        return channel.conversation().isBusy() || current != null && !current.isEnded();
    }

    @Override
    public void check(final String method, final Role needed) throws CallFailedException {
        if (role.includes(needed)) {
            return;
        }
        final String request = method.substring(method.indexOf('.') + 1).toLowerCase(Locale.ROOT);
        final long refused = node.refusals().count();
        if (refused > 0) {
            LOG.warn("request refused: peer={}, request={}, role={}, needed={}{}", peer, request, role, needed,
                refused == 1 ? "" : ", requests=" + refused);
        }
        throw new CallFailedException(ExitStatus.DENIED, "not allowed: request=" + request + ", role=" + role + ", needed=" + needed + "; set "
            + ClusterSecret.VARIABLE + " to a file with the secret or certificate for role " + needed);
    }

    @Override
    public void program(final int index, final byte[] bytes) {
        final JobCoordinator current = job;
        if (current != null) {
            current.program(index, bytes);
        } else if (!isRefused) {
            throw new IllegalStateException("program bytes were received before the job");
        }
    }

    @Override
    public void input(final byte[] bytes) {
        final JobCoordinator current = job;
        if (current == null) {
            throw new IllegalStateException("input was received before the job");
        }
        current.input(bytes);
    }

    @Override
    public void outputCredit(final int bytes) {
        final JobCoordinator current = job;
        if (current != null) {
            current.outputCredit(bytes);
        }
    }

    @Override
    public void closed(final String reason) {
        final JobCoordinator current = job;
        if (current != null) {
            current.clientLost();
        }
    }
}
