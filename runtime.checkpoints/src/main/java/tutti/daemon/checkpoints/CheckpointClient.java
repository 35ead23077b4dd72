package tutti.daemon.checkpoints;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
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
    private static final String LOST = "the link is lost: ";

    private final String node;
    private final String series;
    private final String job;
    private final ControlChannel channel = ControlChannel.open(c -> this::lost);
    private final CopyKeeper keeper = channel.conversation().peer(CopyKeeper.class);
    private final Semaphore calls = new Semaphore(MAX_CALLS, true);
    private volatile boolean isLost;

    /** Call to the other node. */
    @FunctionalInterface
    private interface Call<T extends @Nullable Object> {
        CompletionStage<T> begin();
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

    /** Announces that this node uses the series, for the job. */
    void use() throws IOException {
        call(() -> keeper.use(series, job));
    }

    /** Completes a checkpoint. */
    void complete(final int number) throws IOException {
        call(() -> keeper.complete(number));
    }

    /** Removes ranks of a checkpoint that is not complete. */
    void discard(final int number, final List<Integer> ranks) throws IOException {
        call(() -> keeper.discard(number, ranks));
    }

    /** Removes checkpoints that are older than one. */
    void removeOlder(final int number) throws IOException {
        call(() -> keeper.removeOlder(number));
    }

    /**
     * Begins to send a copy of a rank: its state file.
     *
     * @return indexes of the files of blocks that the node needs
     */
    List<Integer> keep(final int number, final int rank, final Path stateFile) throws IOException {
        final long length = Files.size(stateFile);
        return call(() -> keeper.keep(number, rank, length, ProgramFiles.stream(List.of(stateFile))));
    }

    /**
     * Sends the files that the node needs, and returns when they are on its disk. Only this thread reads the data.
     *
     * @param needed what {@link #keep} has returned
     */
    void blocks(final int number, final RankState state, final List<Integer> needed, final SavedRank saved) throws IOException {
        final List<RankState.BlockFile> all = state.files();
        acquire();
        try (BytePipe pipe = new BytePipe(PIPE)) {
            final CompletableFuture<?> result = keeper.blocks(number, state.header().rank(), pipe).toCompletableFuture();
            // it has failed: nobody reads the rest
            var _ = result.whenComplete((value, e) -> pipe.end());
            for (final int index : needed) {
                if (index < 0 || index >= all.size()) {
                    throw failure(new IOException("file out of range: index=" + index + ", files=" + all.size()));
                }
                final RankState.BlockFile file = all.get(index);
                put(RankState.slice(saved.items().get(file.item()), file.block()), pipe);
            }
            pipe.end();
            await(result);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(e);
        } finally {
            calls.release();
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
        try (InputStream files = call(() -> keeper.fetch(series, from.job(), from.number(), from.point(), rank));
             DataInputStream in = new DataInputStream(files); RankWriter writer = folder.restore(series, from.number(), rank)) {
            try {
                final RankState state = ArrivingFiles.state(in, in.readLong(), writer, folder);
                state.header().check(series, from.number(), rank, from.job());
                for (final RankState.BlockFile file : state.files()) {
                    ArrivingFiles.block(in, state, file, writer);
                }
            } catch (final IOException e) {
                throw failure(isLost ? new IOException(LOST + Protocol.oneLine(e), e) : e);
            }
            writer.commit();
        }
    }

    private <T extends @Nullable Object> T call(final Call<T> call) throws IOException {
        acquire();
        try {
            return await(call.begin().toCompletableFuture());
        } finally {
            calls.release();
        }
    }

    private void acquire() throws IOException {
        try {
            calls.acquire();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(e);
        }
    }

    private <T extends @Nullable Object> T await(final CompletableFuture<T> result) throws IOException {
        try {
            return result.get();
        } catch (final ExecutionException e) {
            throw failure(new IOException(reason(e.getCause()), e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(e);
        }
    }

    /** Returns what the other node says, or that the link is lost. */
    private static String reason(final @Nullable Throwable failure) {
        return failure instanceof final CallFailedException e ? Protocol.oneLine(e)
            : LOST + (failure == null ? "closed" : Protocol.oneLine(failure));
    }

    private IOException failure(final Exception cause) {
        return new IOException("checkpoint on node " + node + " failed: series=" + series + ", reason=" + Protocol.oneLine(cause), cause);
    }

    private void lost(final String reason) {
        isLost = true;
    }

    @Override
    public void close() {
        channel.close();
    }
}
