package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramStore;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Role;

/** Session of a command that is connected to this node: runs its job or answers its requests. */
final class ClientSession implements ChannelReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);
    /** Most requests at once on one link; commands make one. */
    private static final int MAX_REQUESTS = 16;

    private final ControlChannel channel;
    private final NodeService node;
    private final Role role;
    private final @Nullable String owner;
    private final String peer;
    /** Requests that are not answered yet. */
    private final AtomicInteger requests = new AtomicInteger();
    private volatile JobCoordinator job;
    private volatile ProgramStore file;
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
    }

    /** Returns the role that a request needs. */
    private static Role needed(final Message message) {
        return switch (message) {
            case Message.Describe d -> Role.OBSERVE;
            case Message.DescribeRanks d -> Role.OBSERVE;
            case Message.Examine e -> Role.OBSERVE;
            case Message.FindPage f -> f.role() == null ? Role.OBSERVE : f.role();
            case Message.ListJobs l -> Role.OBSERVE;
            case Message.ListCheckpoints l -> Role.OBSERVE;
            case Message.Change c -> Role.CHANGE;
            case Message.Join j -> Role.NODE;
            case Message.Stop s -> Role.NODE;
            default -> Role.RUN;
        };
    }

    @Override
    public void message(final Message message) {
        final Role needed = needed(message);
        if (!role.includes(needed)) {
            refuse(message, needed);
            return;
        }
        switch (message) {
            case Message.Run run -> {
                if (job != null) {
                    throw new IllegalStateException("a link runs one job");
                }
                launch(run);
            }
            case Message.CancelRun c -> {
                if (job != null) {
                    job.end(ExitStatus.CANCELLED, "job was cancelled by its client");
                }
            }
            case Message.Describe d -> answer(() -> new Message.ClusterState(node.reports()));
            case Message.CancelJob c -> answer(() -> node.cancel(c.job()) ? new Message.Reply(ExitStatus.OK, "")
                : new Message.Reply(ExitStatus.FAILED, "no such job: id=" + c.job() + "; list them with: tutti ps"));
            case Message.DescribeRanks d -> answer(() -> {
                final JobActivity ranks = node.ranks(d.job());
                return ranks == null ? new Message.Reply(ExitStatus.FAILED, "no such job: id=" + d.job() + "; list them with: tutti ps")
                    : new Message.Reply(ExitStatus.OK, MessageCodec.text(ranks));
            });
            case Message.ListCheckpoints l -> answer(() -> new Message.Reply(ExitStatus.OK, MessageCodec.text(node.checkpoints().list())));
            case Message.RemoveCheckpoints r -> answer(() -> node.checkpoints().remove(r.series()));
            case Message.TakeCheckpoint t -> answer(() -> node.checkpoints().take(t.job(), t.limitMillis()));
            case Message.Examine e -> answer(() -> new Message.Reply(ExitStatus.OK,
                MessageCodec.text(node.examine())));
            case Message.FindPage f -> answer(() -> node.findPage(f.role() == null ? role : f.role()));
            case Message.ListJobs l -> answer(() -> new Message.Reply(ExitStatus.OK,
                MessageCodec.text(node.histories())));
            case Message.Join j -> answer(() -> node.join(j));
            case Message.Change c -> change(c);
            case Message.Stop s -> handle(() -> node.stop(s.node(), channel::post));
            default -> throw new IllegalStateException("unexpected message from a command: " + message.getClass().getSimpleName());
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
        return requests.get() > 0 || current != null && !current.isEnded();
    }

    private void refuse(final Message message, final Role needed) {
        final String request = message.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        isRefused = true;
        final long refused = node.refusals().count();
        if (refused > 0) {
            LOG.warn("request refused: peer={}, request={}, role={}, needed={}{}", peer, request, role, needed,
                refused == 1 ? "" : ", requests=" + refused);
        }
        final String text = "not allowed: request=" + request + ", role=" + role + ", needed=" + needed + "; set " + ClusterSecret.VARIABLE
            + " to a file with the secret or certificate for role " + needed;
        channel.post(message instanceof Message.Run ? new Message.Done(ExitStatus.DENIED, text) : new Message.Reply(ExitStatus.DENIED, text));
    }

    private void change(final Message.Change request) {
        final ModuleChange change = request.change();
        final Path folder = node.incoming();
        final ProgramStore store = new ProgramStore(folder);
        file = store;
        answer(() -> {
            try {
                return node.change(change, request.force(), change.file() == null ? null
                    : store.store(List.of(change.file()), channel::postProgramCredit).getFirst());
            } catch (final IOException e) {
                return new Message.Reply(ExitStatus.FAILED, "node " + node.name() + ": "
                    + Protocol.oneLine(ModuleStore.notStored(change.file(), folder, e)) + "; nothing was changed");
            } finally {
                TempFolders.delete(folder);
            }
        });
    }

    private interface AnswerSource {
        Message answer() throws Exception;
    }

    private void answer(final AnswerSource question) {
        handle(() -> channel.post(question.answer()));
    }

    private interface RequestHandler {
        void handle() throws Exception;
    }

    private void handle(final RequestHandler request) {
        if (requests.incrementAndGet() > MAX_REQUESTS) {
            throw new IllegalStateException("too many requests at once: max=" + MAX_REQUESTS + ", peer=" + peer);
        }
        Thread.ofVirtual().name("tutti-client").start(() -> {
            try {
                request.handle();
            } catch (final Exception e) {
                channel.post(new Message.Reply(ExitStatus.NO_CLUSTER, Protocol.oneLine(e)));
            } finally {
                requests.decrementAndGet();
            }
        });
    }

    @Override
    public void program(final int index, final byte[] bytes) {
        final JobCoordinator current = job;
        final ProgramStore module = file;
        if (current != null) {
            current.program(index, bytes);
        } else if (module != null) {
            module.offer(index, bytes);
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
        final ProgramStore module = file;
        if (module != null) {
            module.close();
        }
    }
}
