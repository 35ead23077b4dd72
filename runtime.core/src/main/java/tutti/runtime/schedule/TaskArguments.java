package tutti.runtime.schedule;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.shm.ShmSlot;

/** Checks the arguments of a plan's tasks; a violation throws {@link IllegalArgumentException}. */
final class TaskArguments {
    private TaskArguments() {}

    static void checkPeer(final int peer, final int ranks) {
        if (peer < 0 || peer >= ranks) {
            throw new IllegalArgumentException("peer out of range: peer=" + peer + ", ranks=" + ranks);
        }
    }

    /** Checks a peer whose memory is shared. */
    static void checkSameNode(final int peer, final int own, final boolean near) {
        if (peer == own) {
            throw new IllegalArgumentException("a rank does not await or read itself: peer=" + peer);
        }
        if (!near) {
            throw new IllegalArgumentException("peer on another node: peer=" + peer + ", rank=" + own);
        }
    }

    static void checkPost(final int post) {
        if (post < 0 || post >= ShmSlot.MAX_POSTS) {
            throw new IllegalArgumentException("post out of range: post=" + post);
        }
    }

    static void checkWritten(final BufferRange range) {
        if (range.buffer() == Buffer.SEND) {
            throw new IllegalArgumentException("the send buffer is read only: into=" + range);
        }
    }

    /** Checks that a range is within a buffer of {@code bytes} bytes. */
    static void checkWithin(final BufferRange range, final long bytes) {
        if (range.bytes() > 0 && range.end() > bytes) {
            throw new IllegalArgumentException("span out of range: span=" + range + ", bytes=" + bytes);
        }
    }

    static void checkLengths(final BufferRange from, final BufferRange into) {
        if (from.bytes() != into.bytes()) {
            throw new IllegalArgumentException("spans of different length: from=" + from + ", into=" + into);
        }
    }

    static void checkDisjoint(final BufferRange from, final BufferRange into) {
        if (from.buffer() == into.buffer() && from.offset() < into.end() && into.offset() < from.end()) {
            throw new IllegalArgumentException("spans overlap: from=" + from + ", into=" + into);
        }
    }

    /** Returns a reduction of this runtime. */
    static BoundReduction bound(final Reduction reduction, final BufferRange from) {
        if (!(reduction instanceof BoundReduction bound)) {
            throw new IllegalArgumentException("not a reduction of this runtime: reduction=" + reduction);
        }
        if (from.bytes() % bound.elementBytes() != 0) {
            throw new IllegalArgumentException("not a multiple of the element: bytes=" + from.bytes() + ", element=" + bound.elementBytes());
        }
        return bound;
    }
}
