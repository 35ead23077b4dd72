package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import tutti.daemon.protocol.Channel;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.NodeInfo;
import tutti.daemon.protocol.ProgramSender;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.Receiver;
import tutti.daemon.protocol.Wire;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Transport;

/** Another node, at the end of a link; {@link RemoteChange} is the other end. */
final class LinkedTarget implements ChangeTarget, Receiver {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final NodeInfo node;
    private final Channel channel = Channel.open(c -> this);
    private final ProgramSender sender = new ProgramSender(channel);
    private final AtomicReference<CompletableFuture<Message.ChangeState>> waiting = new AtomicReference<>(new CompletableFuture<>());

    private LinkedTarget(final NodeInfo node) {
        this.node = node;
    }

    static LinkedTarget link(final NodeInfo self, final NodeInfo node, final Transport transport) throws IOException {
        final LinkedTarget target = new LinkedTarget(node);
        target.channel.attach(transport.connect(node.address().socketAddress(), new Hello(Protocol.CHANGE,
            Wire.write(new NodeHello(Protocol.VERSION, self, null))), target.channel, LIMIT));
        return target;
    }

    @Override
    public String node() {
        return node.name();
    }

    @Override
    public CompletableFuture<Message.ChangeState> prepare(final ModuleChange change, final Path file) {
        final CompletableFuture<Message.ChangeState> answer = expect();
        channel.post(new Message.PrepareChange(change));
        if (file != null) {
            Thread.ofVirtual().name("tutti-change-send").start(() -> send(file));
        }
        return answer;
    }

    private void send(final Path file) {
        try {
            sender.send(List.of(file));
        } catch (final IOException e) {
            message(new Message.ChangeState(false, null, "file cannot be read: " + e.getMessage()));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public CompletableFuture<Message.ChangeState> settle(final boolean commit) {
        final CompletableFuture<Message.ChangeState> answer = expect();
        channel.post(new Message.SettleChange(commit));
        return answer;
    }

    /** The answer that comes next; the reason at once when the link is gone already. */
    private CompletableFuture<Message.ChangeState> expect() {
        final CompletableFuture<Message.ChangeState> before = waiting.get();
        if (before.isDone() && before.join().text().startsWith(GONE)) {
            return before;
        }
        final CompletableFuture<Message.ChangeState> answer = new CompletableFuture<>();
        waiting.set(answer);
        return answer;
    }

    private static final String GONE = "the node is gone: ";

    @Override
    public void message(final Message message) {
        if (message instanceof Message.ChangeState s) {
            waiting.get().complete(s);
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
        final Message.ChangeState gone = new Message.ChangeState(false, null, GONE + reason);
        waiting.get().complete(gone);
        waiting.set(CompletableFuture.completedFuture(gone));
    }

    @Override
    public void close() {
        channel.close();
    }
}
