package tutti.coll.dissem;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.RadixStep;

/**
 * One rank's messages and copies in Bruck's alltoall. A block is identified by its distance from sender to receiver. This rank's block of
 * distance d is at first the input block for the rank d above. After a move it is located where the block from the rank d below belongs in
 * RECV. For one plan.
 */
final class BruckExchange {
    private static final int[] NO_TASKS = {};

    private final Plan plan;
    private final int radix;
    private final int size;
    private final int rank;
    private final long block;
    private final BufferRange input;
    private final int[] inputReady;
    /** By distance: the tasks that wrote the block to RECV, and the tasks that have read it from there since. */
    private final int[][] writtenBy;
    private final int[][] readBy;
    /** By digit: memory for outgoing and incoming messages, and the tasks that used it last. */
    private final BufferRange[] outgoing;
    private final BufferRange[] incoming;
    private final int[][] sent;
    private final int[][] unpacked;

    /** A part of a message that is contiguous in memory: distances {@code low} to {@code high}, at offset {@code at} of the message. */
    private record Segment(int low, int high, long offset, BufferRange range) {}

    /**
     * @param block  size of a block in bytes
     * @param origin the input blocks for ranks 0, 1, …
     * @param given  tasks after which the input is available and RECV may be written
     */
    BruckExchange(final Plan plan, final int radix, final long block, final BufferRange origin, final int... given) {
        this.plan = plan;
        this.radix = radix;
        this.size = plan.size();
        this.rank = plan.rank();
        this.block = block;
        this.input = origin;
        this.inputReady = given;
        this.writtenBy = filled(size, given);
        this.readBy = filled(size, given);
        final int digits = Math.min(radix, size);
        this.outgoing = new BufferRange[digits];
        this.incoming = new BufferRange[digits];
        this.sent = filled(digits, NO_TASKS);
        this.unpacked = filled(digits, NO_TASKS);
    }

    private static int[][] filled(final int length, final int... tasks) {
        final int[][] all = new int[length][];
        Arrays.fill(all, tasks);
        return all;
    }

    /** Plans all messages and copies. */
    void plan(final List<RadixStep> steps) {
        for (final RadixStep step : steps) {
            final List<Segment> targets = new ArrayList<>();
            final List<Segment> sources = new ArrayList<>();
            final long bytes = findSegments(step, targets, sources);
            send(step, sources, bytes);
            receive(step, targets, bytes);
        }
    }

    /** Collects the parts of the message of a step, long distances first, and returns its length in bytes. */
    private long findSegments(final RadixStep step, final List<Segment> targets, final List<Segment> sources) {
        final long period = (long) step.unit() * radix;
        final long last = step.distance() + (size - 1L - step.distance()) / period * period;
        long at = 0;
        for (long low = last; low > 0; low -= period) {
            final int high = (int) Math.min(low + step.unit(), size) - 1;
            addTargets(targets, (int) low, high, at);
            if (low < period) {
                for (int d = high; d >= low; d--) {
                    sources.add(new Segment(d, d, at + (high - d) * block, input.slice(CyclicRanks.up(rank, d, size) * block, block)));
                }
            } else {
                addTargets(sources, (int) low, high, at);
            }
            at += (high - low + 1) * block;
        }
        return at;
    }

    /** Adds the RECV ranges of the blocks from the ranks {@code low} to {@code high} below: one range, or two if it wraps around rank 0. */
    private void addTargets(final List<Segment> segments, final int low, final int high, final long at) {
        if (low <= rank && rank < high) {
            addTarget(segments, rank + 1, high, at);
            addTarget(segments, low, rank, at + (high - rank) * block);
        } else {
            addTarget(segments, low, high, at);
        }
    }

    private void addTarget(final List<Segment> segments, final int low, final int high, final long at) {
        segments.add(new Segment(low, high, at, Buffer.RECV.at(CyclicRanks.down(rank, high, size) * block, (high - low + 1) * block)));
    }

    private void send(final RadixStep step, final List<Segment> sources, final long bytes) {
        final int to = CyclicRanks.up(rank, step.distance(), size);
        if (sources.size() == 1) {
            plan.send(sources.getFirst().range, to, inputReady);
            return;
        }
        final int digit = step.distance() / step.unit();
        outgoing[digit] = outgoing[digit] == null ? plan.scratch(longestMessage(digit)) : outgoing[digit];
        final BufferRange message = outgoing[digit].slice(0, bytes);
        final int[] packed = new int[sources.size()];
        for (int i = 0; i < packed.length; i++) {
            final Segment p = sources.get(i);
            packed[i] = plan.copy(p.range, message.slice(p.offset, p.range.bytes()), dependencies(p, writtenBy, sent[digit]));
            if (p.range.buffer() == Buffer.RECV) {
                setTask(p, readBy, packed[i]);
            }
        }
        sent[digit] = new int[] {plan.send(message, to, packed)};
    }

    /** A message with one target holds only blocks that have not moved before, so no earlier block is located in that target. */
    private void receive(final RadixStep step, final List<Segment> targets, final long bytes) {
        final int from = CyclicRanks.down(rank, step.distance(), size);
        if (targets.size() == 1) {
            setTask(targets.getFirst(), writtenBy, plan.recv(targets.getFirst().range, from, inputReady));
            return;
        }
        final int digit = step.distance() / step.unit();
        incoming[digit] = incoming[digit] == null ? plan.scratch(longestMessage(digit)) : incoming[digit];
        final BufferRange message = incoming[digit].slice(0, bytes);
        final int received = plan.recv(message, from, unpacked[digit]);
        final int[] copies = new int[targets.size()];
        for (int i = 0; i < copies.length; i++) {
            final Segment p = targets.get(i);
            copies[i] = plan.copy(message.slice(p.offset, p.range.bytes()), p.range, dependencies(p, readBy, received));
            setTask(p, writtenBy, copies[i]);
        }
        unpacked[digit] = copies;
    }

    private static void setTask(final Segment segment, final int[][] by, final int task) {
        Arrays.fill(by, segment.low, segment.high + 1, new int[] {task});
    }

    private static int[] dependencies(final Segment segment, final int[][] by, final int... more) {
        return IntStream.concat(Arrays.stream(by, segment.low, segment.high + 1).flatMapToInt(Arrays::stream), IntStream.of(more))
            .distinct().toArray();
    }

    /** Returns the length in bytes of the longest message of a digit. */
    private long longestMessage(final int digit) {
        long longest = 0;
        for (long unit = 1; unit * digit < size; unit *= radix) {
            final long period = unit * radix;
            longest = Math.max(longest, size / period * unit + Math.clamp(size % period - digit * unit, 0, unit));
        }
        return longest * block;
    }
}
