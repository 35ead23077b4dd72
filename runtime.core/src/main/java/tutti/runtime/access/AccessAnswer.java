package tutti.runtime.access;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.transport.Link;

/** The answer to an operation of another node: data of a window, or that the operation has taken effect, or why it has not. */
final class AccessAnswer extends AccessItem {
    private static final int MAX_TEXT = 1_000;

    private final long answerTo;
    private final int errorClass;
    private final long position;
    private final long bytes;
    /** Data in one block, or the text of an error. */
    private final MemorySegment data;
    private final long dataAt;
    /** Where the data is in the memory of a window; null where it is in one block. */
    private final @Nullable Runs runs;
    private long sent;
    private int packed;
    private MemorySegment piece = MemorySegment.NULL;

    /** Data in several blocks of a window's memory: the runs as they came, and the position in them. */
    private static final class Runs {
        private final WindowMemory memory;
        private final MemorySegment list;
        private long at;
        private long block;
        private long inBlock;

        Runs(final WindowMemory memory, final MemorySegment list) {
            this.memory = memory;
            this.list = list;
        }

        /** Copies the next data, some bytes at the most; returns how many. */
        int pack(final MemorySegment to, final int most) {
            int done = 0;
            while (done < most && at < list.byteSize()) {
                final long length = DataRuns.length(list, at);
                final long stride = DataRuns.stride(list, at);
                final long offset = DataRuns.offset(list, at) + block * stride + inBlock;
                final long left = (long) most - done;
                if (inBlock > 0 || left < length) {
                    final long n = Math.min(left, length - inBlock);
                    memory.read(offset, 0, n, 1, to, done);
                    inBlock += n;
                    done += (int) n;
                    if (inBlock == length) {
                        inBlock = 0;
                        block++;
                    }
                } else {
                    final long n = Math.min(DataRuns.repeat(list, at) - block, left / length);
                    memory.read(offset, stride, length, n, to, done);
                    block += n;
                    done += (int) (n * length);
                }
                if (block == DataRuns.repeat(list, at)) {
                    at += DataRuns.BYTES;
                    block = 0;
                }
            }
            return done;
        }
    }

    private AccessAnswer(final long answerTo, final int errorClass, final long position, final long bytes, final MemorySegment data,
        final long dataAt, final @Nullable Runs runs) {
        super(AccessFrame.ANSWER_FIELDS);
        this.answerTo = answerTo;
        this.errorClass = errorClass;
        this.position = position;
        this.bytes = bytes;
        this.data = data;
        this.dataAt = dataAt;
        this.runs = runs;
    }

    /** Returns the answer that an operation without data has taken effect. */
    static AccessAnswer done(final long operation) {
        return new AccessAnswer(operation, 0, 0, 0, MemorySegment.NULL, 0, null);
    }

    /** Returns the answer why an operation has no effect. */
    static AccessAnswer failed(final long operation, final MpiFailure why, final long bytes) {
        final String text = String.valueOf(why.getMessage());
        final byte[] data = text.substring(0, Math.min(text.length(), MAX_TEXT)).getBytes(StandardCharsets.UTF_8);
        return new AccessAnswer(operation, why.errorClass().ordinal(), 0, bytes, MemorySegment.ofArray(data), 0, null);
    }

    /** Returns an answer with data, for a position of the operation's data. */
    static AccessAnswer data(final long operation, final long position, final MemorySegment data, final long at, final long bytes) {
        return new AccessAnswer(operation, 0, position, bytes, data, at, null);
    }

    /** Returns an answer with data of a window's memory, in runs as they came, which are copied. */
    static AccessAnswer data(final long operation, final long position, final WindowMemory memory, final MemorySegment runs, final long bytes) {
        return new AccessAnswer(operation, 0, position, bytes, MemorySegment.NULL, 0,
            new Runs(memory, MemorySegment.ofArray(new byte[(int) runs.byteSize()]).copyFrom(runs)));
    }

    /** Reads data of a window's memory, all of some runs. */
    static void read(final WindowMemory memory, final MemorySegment runs, final MemorySegment to) {
        new Runs(memory, runs).pack(to, (int) to.byteSize());
    }

    @Override
    public boolean isAnswered() {
        return false;
    }

    @Override
    public long answerTo() {
        return answerTo;
    }

    @Override
    public boolean send(final Link to) {
        final int most = to.maxFrame() - AccessFrame.PREFIX - AccessFrame.ANSWER_FIELDS;
        // the origin counts the bytes of answers: an error has one frame
        final long length = errorClass == 0 ? bytes : Math.min(most, data.byteSize());
        do {
            final int next = (int) Math.min(most, length - sent);
            final Runs from = runs;
            if (from != null && packed == 0 && next > 0) {
                piece = piece.byteSize() < next ? Arena.ofAuto().allocate(next, Long.BYTES) : piece;
                packed = from.pack(piece, next);
            }
            AccessFrame.writeAnswer(header(), errorClass, position + sent, errorClass == 0 ? next : bytes);
            if (!to.trySend(header(), AccessFrame.PREFIX + AccessFrame.ANSWER_FIELDS, from == null ? data : piece, from == null ? dataAt + sent : 0,
                next)) {
                return false;
            }
            packed = 0;
            sent += next;
        } while (sent < length);
        return true;
    }

    @Override
    public boolean answered(final MemorySegment m, final long at, final int length) {
        throw new IllegalStateException("an answer is not answered");
    }

    @Override
    public void fail(final MpiFailure why) {
        // who waits for it is gone
    }
}
