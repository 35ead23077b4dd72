package tutti.daemon.checkpoints;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.CreditBatch;
import tutti.daemon.channel.Credits;
import tutti.daemon.protocol.Protocol;

/** Bytes of files in both directions of a channel, each piece with the number of the request that it belongs to. Safe for any thread. */
final class Transfers {
    /** How long the peer may take to write what it was sent, or to send what it was asked for: its disk may be busy with the data of many ranks. */
    static final Duration LIMIT = Duration.ofMinutes(5);

    private final ControlChannel channel;
    private final Credits credits = new Credits(Protocol.PROGRAM_CREDIT);
    private final ReentrantLock turn = new ReentrantLock(true);
    private final Map<Integer, Incoming> incoming = new ConcurrentHashMap<>();
    private final AtomicLong waiting = new AtomicLong();
    private final CreditBatch owed;
    private volatile @Nullable String lost;

    Transfers(final ControlChannel channel) {
        this.channel = channel;
        this.owed = new CreditBatch(Protocol.PROGRAM_CREDIT, channel::postProgramCredit);
    }

    /** Receives the bytes of a file as they arrive. */
    @FunctionalInterface
    interface Pieces {
        void accept(byte[] bytes) throws IOException;
    }

    /** The pieces that arrive for a request. Read by one thread. */
    final class Incoming implements AutoCloseable {
        private final int id;
        private final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
        private volatile @Nullable String failure;

        private Incoming(final int id) {
            this.id = id;
        }

        /**
         * Reads the bytes of one file.
         *
         * @throws IOException when they do not arrive, with the reason
         */
        void read(final long bytes, final Pieces to) throws IOException {
            long left = bytes;
            while (left > 0) {
                final byte[] piece = next();
                if (piece.length == 0 || piece.length > left) {
                    final String reason = failure;
                    throw new IOException(reason != null ? reason
                        : "file arrived with other bytes than expected: piece=" + piece.length + ", missing=" + left);
                }
                try {
                    to.accept(piece);
                } finally {
                    consumed(piece.length);
                }
                left -= piece.length;
            }
        }

        private byte[] next() throws IOException {
            try {
                final byte[] piece = pieces.poll(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
                if (piece == null) {
                    throw new IOException("file did not arrive: limit=" + LIMIT.toSeconds() + " s");
                }
                return piece;
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }

        /** Ends the reading when the pieces that have arrived are read. */
        void fail(final String reason) {
            failure = reason;
            pieces.add(new byte[0]);
        }

        /** Ends the transfer; pieces that arrive later are dropped. */
        @Override
        public void close() {
            incoming.remove(id);
            for (byte[] piece = pieces.poll(); piece != null; piece = pieces.poll()) {
                consumed(piece.length);
            }
        }
    }

    /** Expects bytes for a request. */
    Incoming expect(final int id) {
        final Incoming made = new Incoming(id);
        incoming.put(id, made);
        final String reason = lost;
        if (reason != null) {
            made.fail(reason);
        }
        return made;
    }

    /** Receives a piece. Does not block. */
    void received(final int id, final byte[] bytes) {
        final long total = waiting.addAndGet(bytes.length);
        if (bytes.length == 0 || total > Protocol.PROGRAM_CREDIT) {
            throw new IllegalStateException("bytes of a checkpoint without credit: bytes=" + bytes.length + ", waiting=" + total
                + ", PROGRAM_CREDIT=" + Protocol.PROGRAM_CREDIT);
        }
        final Incoming to = incoming.get(id);
        if (to == null) {
            // of a request that has failed
            consumed(bytes.length);
            return;
        }
        to.pieces.add(bytes);
        if (incoming.get(id) != to) {
            to.close();
        }
    }

    private void consumed(final int bytes) {
        if (bytes > 0) {
            waiting.addAndGet(-bytes);
            synchronized (owed) {
                owed.consumed(bytes);
            }
        }
    }

    /** Adds credit that the peer returned. */
    void credit(final int bytes) {
        credits.grant(bytes);
    }

    /**
     * Sends a piece of at most {@link Protocol#CHUNK} bytes, and gives up the array. Blocks while the peer has no space.
     *
     * @throws IOException when the link is lost, or the peer takes nothing
     */
    void send(final int id, final byte[] bytes) throws IOException {
        try {
            if (!turn.tryLock(LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IOException("file is not taken: limit=" + LIMIT.toSeconds() + " s");
            }
            try {
                if (!credits.acquire(bytes.length, LIMIT)) {
                    throw new IOException("the link is lost: " + lost);
                }
                channel.postProgram(id, bytes, bytes.length);
            } finally {
                turn.unlock();
            }
        } catch (final TimeoutException e) {
            throw new IOException("file is not taken: limit=" + LIMIT.toSeconds() + " s", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Ends all transfers: the link is closed. */
    void close(final String reason) {
        lost = reason;
        credits.close();
        incoming.values().forEach(i -> i.fail(reason));
    }
}
