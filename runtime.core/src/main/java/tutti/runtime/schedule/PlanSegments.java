package tutti.runtime.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.runtime.shm.PlanSegment;
import tutti.runtime.shm.ShmSlot;

/** The segments of a plan under construction: the plan itself, which is the first, and each collective nested in it. For one thread. */
final class PlanSegments {
    private static final class Segment {
        private final int channel;
        private final int index;
        private final BufferRange send;
        private final BufferRange recv;
        private final long scratchFrom;
        private long scratchTo;
        private int posts;
        private int lastPost = -1;
        private boolean sharesMemory;

        Segment(final int channel, final int index, final BufferRange send, final BufferRange recv, final long scratchFrom) {
            this.channel = channel;
            this.index = index;
            this.send = send;
            this.recv = recv;
            this.scratchFrom = scratchFrom;
        }
    }

    private final List<Segment> all = new ArrayList<>();
    /** Number of segments of each channel. */
    private int[] counts = new int[4];

    /** Begins a segment. Its scratch memory is what is reserved from {@code scratch} on until it {@linkplain #end ends}. */
    int begin(final int channel, final BufferRange send, final BufferRange recv, final long scratch) {
        if (channel >= counts.length) {
            counts = Arrays.copyOf(counts, 2 * channel);
        }
        all.add(new Segment(channel, counts[channel]++, send, recv, scratch));
        return all.size() - 1;
    }

    void end(final int segment, final long scratch) {
        all.get(segment).scratchTo = scratch;
    }

    /** Records that a task of a segment shares memory. Returns the channel of the segment. */
    int share(final int segment) {
        final Segment s = all.get(segment);
        s.sharesMemory = true;
        return s.channel;
    }

    /** Rejects a post beyond the limit. */
    void checkPosts(final int segment) {
        if (posts(segment) == ShmSlot.MAX_POSTS) {
            throw new IllegalArgumentException("too many posts: posts=" + posts(segment));
        }
    }

    /** Returns the number of posts of a segment so far. */
    int posts(final int segment) {
        return all.get(segment).posts;
    }

    /** Returns the task of the last post of a segment; -1 before there is one. */
    int lastPost(final int segment) {
        return all.get(segment).lastPost;
    }

    /** Records the task of the next post. Returns the index of the post. */
    int posted(final int segment, final int task) {
        all.get(segment).lastPost = task;
        return all.get(segment).posts++;
    }

    /** Returns whether tasks of a segment share memory. */
    boolean sharesMemory(final int segment) {
        return all.get(segment).sharesMemory;
    }

    /** Returns whether tasks of any segment on a channel share memory. */
    boolean anySharesMemory(final int channel) {
        return all.stream().anyMatch(s -> s.sharesMemory && s.channel == channel);
    }

    /** Returns the segments as other ranks see them. */
    PlanSegment[] freeze() {
        return all.stream().map(s -> new PlanSegment(s.channel, s.index, s.posts, s.send, s.recv,
            Buffer.SCRATCH.at(s.scratchFrom, s.scratchTo - s.scratchFrom))).toArray(PlanSegment[]::new);
    }
}
