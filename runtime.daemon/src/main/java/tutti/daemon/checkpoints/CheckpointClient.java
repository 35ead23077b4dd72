package tutti.daemon.checkpoints;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Transport;

/**
 * Link to another node that keeps copies of checkpoints, or holds one that this node needs; {@link CheckpointServer} is the other end. Safe for any
 * thread.
 */
final class CheckpointClient implements ChannelReceiver, AutoCloseable {
    private final String node;
    private final String series;
    private final String job;
    private final ControlChannel channel = ControlChannel.open(c -> this);
    private final Transfers transfers = new Transfers(channel);
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, Pending> pending = new ConcurrentHashMap<>();
    private volatile @Nullable String lost;

    /** Request that waits for its answers. */
    private record Pending(CompletableFuture<Message.CheckpointFiles> files, CompletableFuture<Message.CheckpointReply> reply,
        Transfers.@Nullable Incoming incoming) {
        void end(final Message.CheckpointReply with) {
            if (!with.done()) {
                files.completeExceptionally(new IOException(with.text()));
                if (incoming != null) {
                    incoming.fail(with.text());
                }
            }
            reply.complete(with);
        }
    }

    private CheckpointClient(final String node, final String series, final String job) {
        this.node = node;
        this.series = series;
        this.job = job;
    }

    /**
     * Opens a link.
     *
     * @param job job that uses the series, or has written it
     */
    static CheckpointClient link(final NodeInfo self, final NodeInfo node, final Transport transport, final String series, final String job)
        throws IOException {
        final CheckpointClient client = new CheckpointClient(node.name(), series, job);
        try {
            client.channel.attach(transport.connect(node.address().socketAddress(), new Hello(Protocol.CHECKPOINT,
                MessageCodec.write(new NodeHello(Protocol.VERSION, self, null))), client.channel, Protocol.LINK_LIMIT));
        } catch (final IOException e) {
            throw client.failure(e);
        }
        return client;
    }

    String node() {
        return node;
    }

    boolean isLost() {
        return lost != null;
    }

    /** Announces that this node uses the series, for the job. */
    void use() throws IOException {
        step(Message.CheckpointStep.USE, 0, List.of());
    }

    /** Carries out a step on the other node. Blocks. */
    void step(final Message.CheckpointStep step, final int number, final List<Integer> ranks) throws IOException {
        final int id = ids.incrementAndGet();
        final Pending request = post(id, new Message.CheckpointRequest(id, step, series, job, number, 0, ranks, 0), null);
        end(id, request);
    }

    private Pending post(final int id, final Message.CheckpointRequest request, final Transfers.@Nullable Incoming incoming) {
        final Pending made = new Pending(new CompletableFuture<>(), new CompletableFuture<>(), incoming);
        pending.put(id, made);
        channel.post(request);
        final String reason = lost;
        if (reason != null) {
            made.end(new Message.CheckpointReply(id, false, reason));
        }
        return made;
    }

    private void end(final int id, final Pending request) throws IOException {
        try {
            final Message.CheckpointReply reply = await(request.reply());
            if (!reply.done()) {
                throw failure(new IOException(reply.text()));
            }
        } finally {
            pending.remove(id);
        }
    }

    private <T> T await(final CompletableFuture<T> answer) throws IOException {
        try {
            return answer.get(Transfers.LIMIT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (final ExecutionException e) {
            throw failure(e);
        } catch (final TimeoutException e) {
            throw failure(new IOException("no answer: limit=" + Transfers.LIMIT.toSeconds() + " s", e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(e);
        }
    }

    private IOException failure(final Exception cause) {
        return new IOException("checkpoint on node " + node + " failed: series=" + series + ", reason=" + Protocol.oneLine(cause), cause);
    }

    /** Copy of a rank that is being sent. For one thread. */
    final class Copy {
        private final int id;
        private final Pending request;

        private Copy(final int id, final Pending request) {
            this.id = id;
            this.request = request;
        }

        /** Sends the files that the node needs, and returns when they are on its disk. Blocks. */
        void send(final RankState state, final SavedRank saved) throws IOException {
            try {
                final List<RankState.BlockFile> all = state.files();
                for (final int index : await(request.files()).files()) {
                    if (index < 0 || index >= all.size()) {
                        throw failure(new IOException("file out of range: index=" + index + ", files=" + all.size()));
                    }
                    final RankState.BlockFile file = all.get(index);
                    sendBlock(RankState.slice(saved.items().get(file.item()), file.block()));
                }
            } catch (final IOException e) {
                throw refused(request, e);
            }
            end(id, request);
        }

        private void sendBlock(final MemorySegment block) throws IOException {
            for (long at = 0; at < block.byteSize(); at += Protocol.CHUNK) {
                if (request.reply().isDone()) {
                    // it has failed: the answer says why
                    return;
                }
                final byte[] chunk = new byte[(int) Math.min(Protocol.CHUNK, block.byteSize() - at)];
                MemorySegment.copy(block, at, MemorySegment.ofArray(chunk), 0, chunk.length);
                transfers.send(id, chunk);
            }
        }
    }

    /** Returns the reason that the peer gave for a failed request, if it did. */
    private IOException refused(final Pending request, final IOException cause) {
        final Message.CheckpointReply reply = request.reply().getNow(null);
        return reply != null && !reply.done() ? failure(new IOException(reply.text())) : failure(cause);
    }

    /** Begins to send a copy of a rank: its state file. Blocks. */
    Copy keep(final int number, final int rank, final Path stateFile) throws IOException {
        final int id = ids.incrementAndGet();
        final Pending request = post(id, new Message.CheckpointRequest(id, Message.CheckpointStep.KEEP, series, job, number, 0, List.of(rank),
            Files.size(stateFile)), null);
        try (InputStream in = Files.newInputStream(stateFile)) {
            for (byte[] chunk = in.readNBytes(Protocol.CHUNK); chunk.length > 0; chunk = in.readNBytes(Protocol.CHUNK)) {
                transfers.send(id, chunk);
            }
        } catch (final IOException e) {
            throw refused(request, e);
        }
        return new Copy(id, request);
    }

    /** Fetches the files of a rank and verifies them. Blocks. */
    void fetch(final Message.Restart from, final int rank, final CheckpointFolder folder) throws IOException {
        final int id = ids.incrementAndGet();
        try (Transfers.Incoming files = transfers.expect(id)) {
            final Pending request = post(id, new Message.CheckpointRequest(id, Message.CheckpointStep.FETCH, series, from.job(), from.number(),
                from.point(), List.of(rank), 0), files);
            try (RankWriter writer = folder.restore(series, from.number(), rank)) {
                final RankState state = CheckpointServer.receiveState(files, await(request.files()).bytes(), writer.stateFile(), folder);
                final RankState.Header h = state.header();
                if (!h.series().equals(series) || h.number() != from.number() || h.rank() != rank || !h.job().equals(from.job())) {
                    throw new IOException("state is that of another rank: rank=" + h.rank() + ", expected=" + rank);
                }
                for (final RankState.BlockFile file : state.files()) {
                    CheckpointServer.receive(files, state, file, writer);
                }
                end(id, request);
                writer.commit();
            } catch (final IOException e) {
                throw refused(request, e);
            } finally {
                pending.remove(id);
            }
        }
    }

    @Override
    public void message(final Message message) {
        switch (message) {
            case Message.CheckpointFiles f -> {
                final Pending request = pending.get(f.id());
                if (request != null) {
                    request.files().complete(f);
                }
            }
            case Message.CheckpointReply r -> {
                final Pending request = pending.get(r.id());
                if (request != null) {
                    request.end(r);
                }
            }
            default -> throw new IllegalStateException("unexpected message about a checkpoint: " + message.getClass().getSimpleName());
        }
    }

    @Override
    public void program(final int file, final byte[] bytes) {
        transfers.received(file, bytes);
    }

    @Override
    public void programCredit(final int bytes) {
        transfers.credit(bytes);
    }

    @Override
    public void closed(final String reason) {
        final String text = "the link is lost: " + reason;
        lost = text;
        transfers.close(text);
        pending.forEach((id, p) -> p.end(new Message.CheckpointReply(id, false, text)));
    }

    @Override
    public void close() {
        channel.close();
    }
}
