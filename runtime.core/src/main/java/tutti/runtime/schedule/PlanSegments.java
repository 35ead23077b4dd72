package tutti.runtime.schedule;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.runtime.shm.PlanSegment;
import tutti.runtime.shm.ShmSlot;

/** The parts of a plan that is being made: the plan itself, which is the first, and each collective that is nested in it. For one thread. */
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
        private boolean sharing;

        Segment(final int channel, final int index, final BufferRange send, final BufferRange recv, final long scratchFrom) {
            this.channel = channel;
            this.index = index;
            this.send = send;
            this.recv = recv;
            this.scratchFrom = scratchFrom;
        }
    }

    private final List<Segment> all = new ArrayList<>();

    /** Begins a part; its scratch memory is what is reserved from {@code scratch} on, until it {@linkplain #end ends}. */
    int begin(final int channel, final BufferRange send, final BufferRange recv, final long scratch) {
        final int index = (int) all.stream().filter(s -> s.channel == channel).count();
        all.add(new Segment(channel, index, send, recv, scratch));
        return all.size() - 1;
    }

    void end(final int part, final long scratch) {
        all.get(part).scratchTo = scratch;
    }

    /** Notes that a task of a part shares memory. Returns the channel that the part is on. */
    int share(final int part) {
        final Segment stretch = all.get(part);
        stretch.sharing = true;
        return stretch.channel;
    }

    /** Refuses one post too many. */
    void checkPosts(final int part) {
        if (posts(part) == ShmSlot.MOST_POSTS) {
            throw new IllegalArgumentException("too many posts: posts=" + posts(part));
        }
    }

    /** How many posts a part has so far. */
    int posts(final int part) {
        return all.get(part).posts;
    }

    /** The task that made the last post of a part; -1 before there is one. */
    int lastPost(final int part) {
        return all.get(part).lastPost;
    }

    /** Notes the task that makes the next post. Returns which post that is. */
    int posted(final int part, final int task) {
        all.get(part).lastPost = task;
        return all.get(part).posts++;
    }

    /** Whether tasks of a part share memory. */
    boolean isSharing(final int part) {
        return all.get(part).sharing;
    }

    /** Whether tasks of any part on a channel share memory. */
    boolean isAnySharing(final int channel) {
        return all.stream().anyMatch(s -> s.sharing && s.channel == channel);
    }

    /** The parts as other ranks see them. */
    PlanSegment[] freeze() {
        return all.stream().map(s -> new PlanSegment(s.channel, s.index, s.posts, s.send, s.recv,
            Buffer.SCRATCH.at(s.scratchFrom, s.scratchTo - s.scratchFrom))).toArray(PlanSegment[]::new);
    }
}
