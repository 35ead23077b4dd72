package tutti.runtime.comm;

import java.lang.ref.WeakReference;
import tutti.runtime.datatype.Datatype;

/**
 * Makes the sides of the calls on one communicator, and remembers the last few: a program that uses the same buffers again and again makes
 * no garbage, and what was checked before is not checked again.
 *
 * <p>Sides are held weakly: that pins no memory of the program, and a side is made anew after a collection. Only those are remembered that
 * use the caller's memory as it is. Threads may share it without a lock; at worst they make a side twice.
 */
final class MessageBufferCache {
    private static final int ENTRIES = 8;

    private final Entry[] entries = new Entry[ENTRIES];
    private int next;

    /** A side of {@code count} elements of a type. */
    private static final class Entry extends WeakReference<MessageBuffer> {
        private final Datatype type;
        private final long count;
        private final boolean written;

        Entry(final MessageBuffer side, final Datatype type, final long count, final boolean written) {
            super(side);
            this.type = type;
            this.count = count;
            this.written = written;
        }

        /** The side when it is of that call, else null. */
        MessageBuffer find(final Object buffer, final long wantCount, final Datatype wantType, final boolean wantWritten) {
            if (type != wantType || count != wantCount || written != wantWritten) {
                return null;
            }
            final MessageBuffer side = get();
            return side != null && side.isOf(buffer) ? side : null;
        }
    }

    /** As {@link MessageBuffer#of}. */
    MessageBuffer of(final Object buffer, final long count, final Datatype type) {
        final MessageBuffer known = find(buffer, count, type, false);
        return known != null ? known : remember(MessageBuffer.of(buffer, count, type), count, type, false);
    }

    /** As {@link MessageBuffer#into}. */
    MessageBuffer into(final Object buffer, final long count, final Datatype type) {
        final MessageBuffer known = find(buffer, count, type, true);
        return known != null ? known : remember(MessageBuffer.into(buffer, count, type), count, type, true);
    }

    private MessageBuffer find(final Object buffer, final long count, final Datatype type, final boolean written) {
        for (final Entry entry : entries) {
            final MessageBuffer side = entry == null ? null : entry.find(buffer, count, type, written);
            if (side != null) {
                return side;
            }
        }
        return null;
    }

    private MessageBuffer remember(final MessageBuffer side, final long count, final Datatype type, final boolean written) {
        if (side.isDirect()) {
            final int place = next;
            entries[place] = new Entry(side, type, count, written);
            next = (place + 1) % ENTRIES;
        }
        return side;
    }
}
