package tutti.runtime.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.Operation;
import tutti.coll.plan.PlanRecorder;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.shm.PlanSegment;

/**
 * The segments of a plan under construction: the plan itself, which is the first, and each collective nested in it; and the channels of their
 * communicators. For one thread.
 */
final class PlanSegments {
    private static final class Segment {
        private final PlanRecorder<ChannelComm> part;
        private final int channel;
        private final int index;
        private final int first;
        /** The last task, and the algorithm; -1 and null where nothing was planned. */
        private int last = -1;
        private @Nullable ServingAlgorithm serving;
        private boolean sharesMemory;
        private final Set<Integer> readers = new TreeSet<>();

        Segment(final PlanRecorder<ChannelComm> part, final int channel, final int index) {
            this.part = part;
            this.channel = channel;
            this.index = index;
            this.first = part.taskCount();
        }
    }

    private final List<Segment> all = new ArrayList<>();
    /** The channels of nested collectives; they have the indices from 1 in {@link TaskList#channel}. */
    private final List<CollectiveChannel> channels = new ArrayList<>();
    /** Number of segments of each channel. */
    private int[] counts = new int[4];
    /** Per channel: the number of messages to and from each peer. */
    private final List<int[]> sent = new ArrayList<>();
    private final List<int[]> received = new ArrayList<>();
    /** Per channel: the number of offloaded collectives. */
    private int[] offloaded = new int[4];

    /** Begins a segment. */
    void begin(final PlanRecorder<ChannelComm> part) {
        final ChannelComm.Nested nested = part.comm().nested();
        int channel = nested == null ? 0 : channels.indexOf(nested.channel()) + 1;
        if (nested != null && channel == 0) {
            channels.add(nested.channel());
            channel = channels.size();
        }
        if (channel == sent.size()) {
            sent.add(new int[part.remoteSize()]);
            received.add(new int[part.remoteSize()]);
        }
        if (channel >= counts.length) {
            counts = Arrays.copyOf(counts, 2 * channel);
            offloaded = Arrays.copyOf(offloaded, 2 * channel);
        }
        all.add(new Segment(part, channel, counts[channel]++));
    }

    /** Returns the number of segments. */
    int count() {
        return all.size();
    }

    /** Returns the index of a segment's channel. */
    int channel(final int segment) {
        return all.get(segment).channel;
    }

    /** Records that a task of a segment shares memory. */
    void share(final int segment) {
        all.get(segment).sharesMemory = true;
    }

    /** Adds ranks that read the shared memory of a segment. */
    void share(final int segment, final int... readers) {
        for (final int reader : readers) {
            all.get(segment).readers.add(reader);
        }
    }

    /** Returns for each segment the ranks that read its shared memory. */
    int[][] readers() {
        return all.stream().map(s -> s.readers.stream().mapToInt(Integer::intValue).toArray()).toArray(int[][]::new);
    }

    /** Returns whether tasks of a segment share memory. */
    boolean sharesMemory(final int segment) {
        return all.get(segment).sharesMemory;
    }

    /** Returns whether tasks of any segment on a channel share memory. */
    boolean anySharesMemory(final int channel) {
        return all.stream().anyMatch(s -> s.sharesMemory && s.channel == channel);
    }

    /** Counts a message to or from a peer. Returns the number of messages before it. */
    int message(final byte kind, final int channel, final int peer) {
        return (kind == Schedule.SEND ? sent : received).get(channel)[peer]++;
    }

    /** Counts an offloaded collective. Returns the number of those before it on the channel. */
    int offloaded(final int channel) {
        return offloaded[channel]++;
    }

    /** Returns the number of messages to or from a peer of the plan itself. */
    int messages(final byte kind, final int peer) {
        return (kind == Schedule.SEND ? sent : received).getFirst()[peer];
    }

    /** Ends the segment of a nested collective. */
    void end(final int segment, final int lastTask, final ServingAlgorithm serving) {
        all.get(segment).last = lastTask;
        all.get(segment).serving = serving;
    }

    /** Returns the nested collectives for which tasks were planned. */
    List<PlannedPart> parts() {
        final List<PlannedPart> parts = new ArrayList<>();
        for (final Segment s : all) {
            final Operation<?> operation = s.part.operation();
            if (operation != null && s.serving != null) {
                parts.add(new PlannedPart(s.first, s.last, operation.id(), channels.get(s.channel - 1).name(),
                    Math.max(s.part.buffer(Buffer.SEND).bytes(), s.part.buffer(Buffer.RECV).bytes()), s.serving.module(), s.serving.algorithm(),
                    s.serving.reason()));
            }
        }
        return parts;
    }

    /** Returns the channels of nested collectives. */
    CollectiveChannel[] channels() {
        return channels.toArray(CollectiveChannel[]::new);
    }

    /** Returns the segments as other ranks see them. */
    PlanSegment[] freeze() {
        return all.stream().map(s -> new PlanSegment(s.channel, s.index, s.part.posts(), s.part.buffer(Buffer.SEND), s.part.buffer(Buffer.RECV),
            s.part.buffer(Buffer.SCRATCH), s.part.buffer(Buffer.SHARED))).toArray(PlanSegment[]::new);
    }
}
