package tutti.daemon.control;

import java.nio.file.Path;
import java.util.List;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramStore;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;

/** Session of a command that is connected to this node: runs its job or answers its requests. */
final class ClientSession implements ChannelReceiver {
    private final ControlChannel channel;
    private final NodeService node;
    private volatile JobCoordinator job;
    private volatile ProgramStore file;

    ClientSession(final ControlChannel channel, final NodeService node) {
        this.channel = channel;
        this.node = node;
    }

    @Override
    public void message(final Message message) {
        switch (message) {
            case Message.Run run -> {
                if (job != null) {
                    throw new IllegalStateException("a link runs one job");
                }
                job = node.launch(run, channel);
            }
            case Message.CancelRun c -> {
                if (job != null) {
                    job.end(ExitStatus.FAILED, "job was cancelled by its client");
                }
            }
            case Message.Describe d -> answer(() -> new Message.ClusterState(node.reports()));
            case Message.CancelJob c -> answer(() -> node.cancel(c.job()) ? new Message.Reply(ExitStatus.OK, "")
                : new Message.Reply(ExitStatus.FAILED, "no such job: id=" + c.job() + "; list them with: tutti ps"));
            case Message.Join j -> answer(() -> node.join(j));
            case Message.Change c -> change(c);
            case Message.Stop s -> handle(() -> node.stop(s.node(), channel::post));
            default -> throw new IllegalStateException("unexpected message from a command: " + message.getClass().getSimpleName());
        }
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
        Thread.ofVirtual().name("tutti-client").start(() -> {
            try {
                request.handle();
            } catch (final Exception e) {
                channel.post(new Message.Reply(ExitStatus.NO_CLUSTER, Protocol.oneLine(e)));
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
        } else {
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
