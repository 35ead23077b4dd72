package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramSender;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Transport;

/** Target on another node, over a link; {@link ChangeServer} is the other end. */
final class RemoteTarget implements ChangeTarget, ChannelReceiver {
    private static final String LOST = "the node is gone: ";

    private final NodeInfo node;
    private final ControlChannel channel = ControlChannel.open(c -> this);
    private final ProgramSender sender = new ProgramSender(channel);
    /** Result of the pending step. */
    private CompletableFuture<Message.ChangeState> pending = new CompletableFuture<>();
    private Message.ChangeState lost;

    private RemoteTarget(final NodeInfo node) {
        this.node = node;
    }

    static RemoteTarget link(final NodeInfo self, final NodeInfo node, final Transport transport) throws IOException {
        final RemoteTarget target = new RemoteTarget(node);
        target.channel.attach(transport.connect(node.address().socketAddress(), new Hello(Protocol.CHANGE,
            MessageCodec.write(new NodeHello(Protocol.VERSION, self, null))), target.channel, Protocol.LINK_LIMIT));
        return target;
    }

    @Override
    public String node() {
        return node.name();
    }

    @Override
    public CompletableFuture<Message.ChangeState> prepare(final String id, final List<String> nodes, final ModuleChange change,
        final Path file) {
        final CompletableFuture<Message.ChangeState> answer = expect();
        channel.post(new Message.PrepareChange(id, nodes, change));
        if (file != null) {
            Thread.ofVirtual().name("tutti-change-send").start(() -> send(file));
        }
        return answer;
    }

    private void send(final Path file) {
        try {
            sender.send(List.of(file));
        } catch (final IOException e) {
            answer(Message.ChangeState.failed("file cannot be read: " + e.getMessage()));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public CompletableFuture<Message.ChangeState> settle(final Message.ChangeStep step) {
        final CompletableFuture<Message.ChangeState> answer = expect();
        channel.post(new Message.SettleChange(step));
        return answer;
    }

    /** Returns the future result of the next step; it is complete, with the reason, when the link is already lost. */
    private synchronized CompletableFuture<Message.ChangeState> expect() {
        pending = lost == null ? new CompletableFuture<>() : CompletableFuture.completedFuture(lost);
        return pending;
    }

    private synchronized void answer(final Message.ChangeState state) {
        pending.complete(state);
    }

    @Override
    public void message(final Message message) {
        if (message instanceof Message.ChangeState s) {
            answer(s);
        } else {
            throw new IllegalStateException("unexpected message in a change: " + message.getClass().getSimpleName());
        }
    }

    @Override
    public void programCredit(final int bytes) {
        sender.credit(bytes);
    }

    @Override
    public void closed(final String reason) {
        sender.close();
        synchronized (this) {
            lost = Message.ChangeState.failed(LOST + reason);
            pending.complete(lost);
        }
    }

    @Override
    public void close() {
        channel.close();
    }
}
