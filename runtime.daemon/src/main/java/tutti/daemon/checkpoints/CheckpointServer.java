package tutti.daemon.checkpoints;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;

/** Server of another node that keeps copies of checkpoints here, or fetches the files of a rank. {@link CheckpointClient} is the other end. */
public final class CheckpointServer implements ChannelReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointServer.class);

    private final ControlChannel channel;
    private final NodeCheckpoints checkpoints;
    private final Transfers transfers;
    private @Nullable SeriesUse use;
    /** Requests that are being served. The use ends after the last one: none of them changes files of the next job. */
    private int running;
    private boolean isClosed;

    /** Creates the server of a channel. */
    public CheckpointServer(final ControlChannel channel, final NodeCheckpoints checkpoints) {
        this.channel = channel;
        this.checkpoints = checkpoints;
        this.transfers = new Transfers(channel);
    }

    @Override
    public void message(final Message message) {
        if (!(message instanceof final Message.CheckpointRequest request)) {
            throw new IllegalStateException("unexpected message about a checkpoint: " + message.getClass().getSimpleName());
        }
        // before the bytes that follow
        final Transfers.@Nullable Incoming files = request.step() == Message.CheckpointStep.KEEP ? transfers.expect(request.id()) : null;
        synchronized (this) {
            running++;
        }
        Thread.ofVirtual().name("tutti-checkpoint").start(() -> {
            try {
                channel.post(serve(request, files));
            } finally {
                ended();
            }
        });
    }

    private void ended() {
        final SeriesUse last;
        synchronized (this) {
            running--;
            last = lastUse();
        }
        if (last != null) {
            last.close();
        }
    }

    /** Returns the use, if it ends now. Called under the lock. */
    private @Nullable SeriesUse lastUse() {
        if (!isClosed || running > 0) {
            return null;
        }
        final SeriesUse last = use;
        use = null;
        return last;
    }

    private Message.CheckpointReply serve(final Message.CheckpointRequest request, final Transfers.@Nullable Incoming files) {
        try (files) {
            switch (request.step()) {
                case USE -> use(request);
                case KEEP -> keep(request, Objects.requireNonNull(files, "bytes of a rank"));
                case COMPLETE -> used(request).complete(request.series(), request.number(), request.job());
                case DISCARD -> used(request).discard(request.series(), request.number(), request.ranks());
                case REMOVE_OLDER -> used(request).removeOlder(request.series(), request.number());
                case FETCH -> fetch(request);
            }
            return new Message.CheckpointReply(request.id(), true, "");
        } catch (final IOException | RuntimeException e) {
            LOG.debug("request about a checkpoint failed: {}", request, e);
            return new Message.CheckpointReply(request.id(), false, Protocol.oneLine(e));
        }
    }

    /** Returns whether a job of the peer uses its series, so that the link may be silent. */
    public synchronized boolean isBusy() {
        return use != null;
    }

    private void use(final Message.CheckpointRequest request) throws IOException {
        final SeriesUse made = checkpoints.uses().begin(request.series(), request.job(), true);
        synchronized (this) {
            if (use == null && !isClosed) {
                use = made;
                return;
            }
        }
        made.close();
        throw new IOException("a link serves one series");
    }

    /** Returns the folder, if the series is the one that the peer uses. */
    private CheckpointFolder used(final Message.CheckpointRequest request) throws IOException {
        synchronized (this) {
            if (isClosed || use == null || !use.series().equals(request.series()) || !use.job().equals(request.job())) {
                throw new IOException("series of checkpoints is not in use on this link: series=" + request.series());
            }
        }
        return checkpoints.folder();
    }

    private void keep(final Message.CheckpointRequest request, final Transfers.Incoming files) throws IOException {
        final CheckpointFolder folder = used(request);
        final int rank = rank(request);
        try (RankWriter writer = folder.write(request.series(), request.number(), rank)) {
            final RankState state = receiveState(files, request.bytes(), writer.stateFile(), folder);
            final RankState.Header h = state.header();
            if (!h.series().equals(request.series()) || h.number() != request.number() || h.rank() != rank || !h.job().equals(request.job())) {
                throw new IOException("state is that of another rank: rank=" + h.rank() + ", expected=" + rank);
            }
            final List<RankState.BlockFile> all = state.files();
            final List<Integer> needed = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                if (!writer.link(state, all.get(i))) {
                    needed.add(i);
                }
            }
            channel.post(new Message.CheckpointFiles(request.id(), needed, 0));
            for (final int i : needed) {
                receive(files, state, all.get(i), writer);
            }
            writer.commit();
        }
    }

    private static int rank(final Message.CheckpointRequest request) throws IOException {
        if (request.ranks().size() != 1 || request.ranks().getFirst() < 0 || request.ranks().getFirst() >= Protocol.MAX_RANKS) {
            throw new IOException("rank out of range: ranks=" + request.ranks());
        }
        return request.ranks().getFirst();
    }

    /** Receives a state file and verifies it. */
    static RankState receiveState(final Transfers.Incoming files, final long bytes, final Path file, final CheckpointFolder folder)
        throws IOException {
        folder.change();
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
            files.read(bytes, out::write);
        }
        try {
            return RankState.read(file);
        } catch (final IOException e) {
            throw new IOException("state arrived damaged: " + Protocol.oneLine(e), e);
        }
    }

    /** Receives the file of a block and verifies it. */
    static void receive(final Transfers.Incoming files, final RankState state, final RankState.BlockFile file, final RankWriter writer)
        throws IOException {
        final BlockSums sums = new BlockSums();
        try (RankWriter.Output out = writer.create(file)) {
            files.read(state.bytes(file), piece -> {
                sums.update(piece, 0, piece.length);
                out.write(ByteBuffer.wrap(piece));
            });
            if (sums.value() != state.sum(file)) {
                throw new IOException("file arrived damaged: rank=" + state.header().rank() + ", file=" + file.name());
            }
            out.end();
        }
    }

    private void fetch(final Message.CheckpointRequest request) throws IOException {
        final int rank = rank(request);
        final StoredFiles stored = StoredFiles.open(find(request, rank), checkpoints.folder().node());
        final long bytes = Files.size(stored.stateFile());
        channel.post(new Message.CheckpointFiles(request.id(), List.of(), bytes));
        send(request, rank, StoredFiles.STATE, bytes);
        for (final RankState.BlockFile file : stored.state().files()) {
            send(request, rank, file.name(), stored.state().bytes(file));
        }
    }

    private Path find(final Message.CheckpointRequest request, final int rank) throws IOException {
        final Path found = checkpoints.folder().find(request.series(), request.number(), rank, request.job(), request.point());
        if (found == null) {
            throw new IOException("checkpoint is not here: series=" + request.series() + ", number=" + request.number() + ", rank=" + rank);
        }
        return found;
    }

    /** Sends a file, from where it is: the checkpoint may be completed meanwhile, which moves it. */
    private void send(final Message.CheckpointRequest request, final int rank, final String name, final long bytes) throws IOException {
        try (InputStream in = open(request, rank, name)) {
            long left = bytes;
            while (left > 0) {
                final byte[] chunk = in.readNBytes((int) Math.min(Protocol.CHUNK, left));
                if (chunk.length == 0) {
                    throw new IOException("file is too short: file=" + name + ", missing=" + left + " bytes");
                }
                left -= chunk.length;
                transfers.send(request.id(), chunk);
            }
        }
    }

    private InputStream open(final Message.CheckpointRequest request, final int rank, final String name) throws IOException {
        try {
            return Files.newInputStream(find(request, rank).resolve(name));
        } catch (final NoSuchFileException e) {
            final Path again = find(request, rank).resolve(name);
            try {
                return Files.newInputStream(again);
            } catch (final NoSuchFileException missing) {
                throw StoredFiles.failure(again, checkpoints.folder().node(), missing);
            }
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
        transfers.close(reason);
        final SeriesUse last;
        synchronized (this) {
            isClosed = true;
            last = lastUse();
        }
        if (last != null) {
            last.close();
        }
    }
}
