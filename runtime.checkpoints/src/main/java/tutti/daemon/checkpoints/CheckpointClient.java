package tutti.daemon.checkpoints;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.BytePipe;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Transport;

/**
 * Link to another node that keeps copies of checkpoints, or holds one that this node needs; {@link CheckpointServer} is the other end. Methods block.
 * Safe for any thread.
 */
final class CheckpointClient implements AutoCloseable {
    /** Most calls at once: the ranks of a node write at the same time, and each call has bytes on the way. */
    private static final int MAX_CALLS = 8;
    /** Bytes of a call that wait to be sent. */
    private static final int PIPE = 4 * Protocol.CHUNK;
    // Cause: that node is gone. Remedy: start it again.
    private static final String LOST = "the link is lost: ";

    private final String node;
    private final String series;
    private final String job;
    private final ControlChannel channel = ControlChannel.open(c -> {
        c.conversation().serve(CopyOwner.class, () -> CompletableFuture.completedStage(null));
        return reason -> isLost = true;
    });
    private final CopyKeeper keeper = channel.conversation().peer(CopyKeeper.class);
    private final Semaphore calls = new Semaphore(MAX_CALLS, true);
    private volatile boolean isLost;

    /** Call to the other node. */
    @FunctionalInterface
    interface Call<T extends @Nullable Object> {
        /** Begins the call. */
        CompletionStage<T> on(CopyKeeper keeper) throws IOException, InterruptedException;
    }

    /** Receiver of a file. */
    @FunctionalInterface
    private interface Receiver<T extends @Nullable Object> {
        T receive(InputStream file) throws IOException;
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
        return isLost;
    }

    /** Announces that this node uses the series, for the job; closes the link if the other node refuses. */
    void use() throws IOException {
        try {
            call(k -> k.use(series, job));
        } catch (final IOException e) {
            close();
            throw e;
        }
    }

    /**
     * Begins to send a copy of a rank: its state file.
     *
     * @return indexes of the files of blocks that the node needs
     */
    List<Integer> keep(final int number, final int rank, final Path stateFile) throws IOException {
        return call(k -> k.keep(number, rank, ProgramFiles.stream(List.of(stateFile))));
    }

    /**
     * Sends the files that the node needs, and returns when they are on its disk. Only this thread reads the data.
     *
     * @param needed what {@link #keep} has returned
     */
    void blocks(final int number, final RankState state, final List<Integer> needed, final SavedRank saved) throws IOException {
        final List<RankState.BlockFile> all = state.files();
        try (BytePipe pipe = new BytePipe(PIPE)) {
            call(k -> {
                final CompletionStage<Void> result = k.blocks(number, state.header().rank(), pipe);
                // it has failed: nobody reads the rest
                var _ = result.whenComplete((value, e) -> pipe.end());
                for (final int index : needed) {
                    if (index < 0 || index >= all.size()) {
                        // Cause: the job ended while a part of it was prepared.
                        throw new IOException("file out of range: index=" + index + ", files=" + all.size());
                    }
                    final RankState.BlockFile file = all.get(index);
                    put(RankState.slice(saved.items().get(file.item()).data(), file.block()), pipe);
                }
                pipe.end();
                return result;
            });
        }
    }

    private static void put(final MemorySegment block, final BytePipe pipe) throws InterruptedException {
        boolean isTaken = true;
        for (long at = 0; at < block.byteSize() && isTaken; at += Protocol.CHUNK) {
            final byte[] chunk = new byte[(int) Math.min(Protocol.CHUNK, block.byteSize() - at)];
            MemorySegment.copy(block, at, MemorySegment.ofArray(chunk), 0, chunk.length);
            isTaken = pipe.put(chunk);
        }
    }

    /** Fetches the files of a rank and verifies them. */
    void fetch(final Restart from, final int rank, final CheckpointFolder folder) throws IOException {
        try (RankWriter writer = folder.restore(series, from.number(), rank)) {
            final RankState state = fetch(from, rank, StoredFiles.STATE, in -> {
                final RankState made = writer.receive(in);
                made.header().check(series, from.number(), rank, from.job());
                return made;
            });
            for (final RankState.BlockFile file : state.files()) {
                fetch(from, rank, file.name(), in -> {
                    writer.receive(in, state, file);
                    return null;
                });
            }
            writer.commit();
        }
    }

    private <T extends @Nullable Object> T fetch(final Restart from, final int rank, final String file, final Receiver<T> receiver)
        throws IOException {
        final InputStream in = call(k -> k.fetch(series, from.job(), from.number(), from.point(), rank, file));
        try (in) {
            return receiver.receive(in);
        } catch (final IOException e) {
            throw failure(isLost ? new IOException(LOST + Protocol.oneLine(e), e) : e);
        }
    }

    /** Makes a call and waits for its result. */
    <T extends @Nullable Object> T call(final Call<T> call) throws IOException {
        try {
            calls.acquire();
            try {
                return call.on(keeper).toCompletableFuture().get();
            } finally {
                calls.release();
            }
        } catch (final ExecutionException e) {
            throw failure(new IOException(reason(e.getCause()), e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(e);
        } catch (final IOException e) {
            throw failure(e);
        }
    }

    /** Returns what the other node says, or that the link is lost. */
    private static String reason(final @Nullable Throwable failure) {
        return failure instanceof final CallFailedException e ? Protocol.oneLine(e)
            : LOST + (failure == null ? "closed" : Protocol.oneLine(failure));
    }

    private IOException failure(final Exception cause) {
        // Cause: the node with the copies, for the reason that follows. Remedy: look at that node.
        return new IOException("checkpoint on node " + node + " failed: series=" + series + ", reason=" + Protocol.oneLine(cause), cause);
    }

    @Override
    public void close() {
        channel.close();
    }
}
