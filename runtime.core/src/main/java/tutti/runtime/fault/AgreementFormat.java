package tutti.runtime.fault;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.fault.AgreementMessage.Decision;
import tutti.runtime.fault.AgreementMessage.Report;

/**
 * Writes and reads the messages of an {@link Agreement}.
 *
 * <pre>{@code
 * message: kind (1 byte), leader, and covered, vote, [outcome] or outcome
 * vote:    flag (4 bytes), failed, acknowledged
 * ranks:   number of ranges, and for each: ranks between the range before and it, its ranks less 1
 * }</pre>
 *
 * <p>Numbers without a size are unsigned, 7 bits in a byte, the low ones first; the high bit of a byte is set if another one follows.
 */
public final class AgreementFormat {
    private static final byte REPORT = 1;
    private static final byte REPORT_OF_DECIDED = 2;
    private static final byte DECISION = 3;
    private static final int FIXED = 64;
    private static final int MOST_BYTES = 5;

    private AgreementFormat() {}

    /** Returns the bytes of a message. */
    public static byte[] write(final AgreementMessage message) {
        final ByteBuffer into = ByteBuffer.allocate(FIXED + switch (message) {
            case final Report r -> bytes(r.covered()) + bytes(r.vote()) + bytes(r.outcome());
            case final Decision d -> bytes(d.outcome());
        });
        switch (message) {
            case final Report r -> {
                final Vote outcome = r.outcome();
                number(into.put(outcome == null ? REPORT : REPORT_OF_DECIDED), r.leader());
                ranks(into, r.covered());
                vote(into, r.vote());
                if (outcome != null) {
                    vote(into, outcome);
                }
            }
            case final Decision d -> {
                number(into.put(DECISION), d.leader());
                vote(into, d.outcome());
            }
        }
        return Arrays.copyOf(into.array(), into.position());
    }

    /** Returns how many bytes a vote takes at most, besides {@link #FIXED}. */
    private static int bytes(final @Nullable Vote vote) {
        return vote == null ? 0 : bytes(vote.failed()) + bytes(vote.acknowledged());
    }

    private static int bytes(final RankSet ranks) {
        return 2 * MOST_BYTES * ranges(ranks);
    }

    private static int ranges(final RankSet ranks) {
        int ranges = 0;
        for (int from = ranks.next(0); from >= 0; from = ranks.next(ranks.end(from))) {
            ranges++;
        }
        return ranges;
    }

    private static void number(final ByteBuffer into, final int number) {
        int rest = number;
        while (rest > Byte.MAX_VALUE) {
            into.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        into.put((byte) rest);
    }

    private static void ranks(final ByteBuffer into, final RankSet ranks) {
        number(into, ranges(ranks));
        int end = 0;
        for (int from = ranks.next(0); from >= 0; from = ranks.next(end)) {
            number(into, from - end);
            end = ranks.end(from);
            number(into, end - from - 1);
        }
    }

    private static void vote(final ByteBuffer into, final Vote vote) {
        into.putInt(vote.flag());
        ranks(into, vote.failed());
        ranks(into, vote.acknowledged());
    }

    /**
     * Reads a message, which takes all remaining bytes.
     *
     * @param size number of ranks of the agreement
     * @throws IllegalArgumentException if the bytes are not such a message, or if it names a rank that is not below {@code size}
     */
    public static AgreementMessage read(final ByteBuffer from, final int size) {
        final ByteBuffer bytes = from.slice();
        try {
            final byte kind = bytes.get();
            if (kind != REPORT && kind != REPORT_OF_DECIDED && kind != DECISION) {
                throw new IllegalArgumentException("unknown kind of agreement message: " + kind);
            }
            final int leader = number(bytes);
            if (leader >= size) {
                throw new IllegalArgumentException("no such leader: leader=" + leader + ", size=" + size);
            }
            final AgreementMessage message = kind == DECISION ? new Decision(leader, vote(bytes, size))
                : new Report(leader, ranks(bytes, size), vote(bytes, size), kind == REPORT ? null : vote(bytes, size));
            if (bytes.hasRemaining()) {
                throw new IllegalArgumentException("agreement message is followed by bytes: " + bytes.remaining());
            }
            from.position(from.limit());
            return message;
        } catch (final BufferUnderflowException e) {
            throw new IllegalArgumentException("agreement message is cut off: bytes=" + bytes.limit(), e);
        }
    }

    /** Reads a message from an array, as {@link #read(ByteBuffer, int)} does. */
    public static AgreementMessage read(final byte[] bytes, final int size) {
        return read(ByteBuffer.wrap(bytes), size);
    }

    private static int number(final ByteBuffer from) {
        long number = 0;
        int shift = 0;
        byte next;
        do {
            next = from.get();
            number |= (long) (next & 0x7f) << shift;
            shift += 7;
        } while (next < 0 && shift < 7 * MOST_BYTES);
        if (next < 0 || number > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("number of an agreement message is too large: " + number);
        }
        return (int) number;
    }

    private static RankSet ranks(final ByteBuffer from, final int size) {
        final long[] words = new long[size + Long.SIZE - 1 >>> 6];
        long end = 0;
        for (int ranges = number(from); ranges > 0; ranges--) {
            final int gap = number(from);
            final long first = end + gap;
            if (gap == 0 && end > 0) {
                throw new IllegalArgumentException("ranges of ranks touch: rank=" + first);
            }
            end = first + number(from) + 1;
            if (end > size) {
                throw new IllegalArgumentException("no such rank: rank=" + (end - 1) + ", size=" + size);
            }
            RankSet.fill(words, (int) first, (int) end);
        }
        return RankSet.trimmed(words);
    }

    private static Vote vote(final ByteBuffer from, final int size) {
        return new Vote(from.getInt(), ranks(from, size), ranks(from, size));
    }
}
