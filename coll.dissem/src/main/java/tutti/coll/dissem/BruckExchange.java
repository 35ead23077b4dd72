package tutti.coll.dissem;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/**
 * One rank's messages and copies in Bruck's alltoall. A block is identified by its distance from sender to receiver. This rank's block of
 * distance d is at first the input block for the rank d above. After a move it is located where the block from the rank d below belongs in
 * RECV. For one plan.
 */
final class BruckExchange {
    private static final int[] NOTHING = {};

    private final Plan plan;
    private final int radix;
    private final int size;
    private final int rank;
    private final long block;
    private final BufferRange origin;
    private final int[] given;
    /** By distance: the tasks that wrote the block to RECV, and the tasks that have read it from there since. */
    private final int[][] broughtBy;
    private final int[][] takenBy;
    /** By digit: memory for outgoing and incoming messages, and the tasks that used it last. */
    private final BufferRange[] outgoing;
    private final BufferRange[] incoming;
    private final int[][] sent;
    private final int[][] unpacked;

    /** A part of a message that is contiguous in memory: distances {@code low} to {@code high}, at offset {@code at} of the message. */
    private record Piece(int low, int high, long at, BufferRange place) { }

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
        this.origin = origin;
        this.given = given;
        this.broughtBy = filled(size, given);
        this.takenBy = filled(size, given);
        final int digits = Math.min(radix, size);
        this.outgoing = new BufferRange[digits];
        this.incoming = new BufferRange[digits];
        this.sent = filled(digits, NOTHING);
        this.unpacked = filled(digits, NOTHING);
    }

    private static int[][] filled(final int length, final int... tasks) {
        final int[][] all = new int[length][];
        Arrays.fill(all, tasks);
        return all;
    }

    /** Plans all messages and copies. */
    void plan(final List<RadixStep> steps) {
        for (final RadixStep step : steps) {
            final List<Piece> targets = new ArrayList<>();
            final List<Piece> sources = new ArrayList<>();
            final long bytes = look(step, targets, sources);
            send(step, sources, bytes);
            receive(step, targets, bytes);
        }
    }

    /** Collects the parts of the message of a step, long distances first, and returns its length in bytes. */
    private long look(final RadixStep step, final List<Piece> targets, final List<Piece> sources) {
        final long period = (long) step.unit() * radix;
        final long last = step.distance() + (size - 1L - step.distance()) / period * period;
        long at = 0;
        for (long low = last; low > 0; low -= period) {
            final int high = (int) Math.min(low + step.unit(), size) - 1;
            addHomes(targets, (int) low, high, at);
            if (low < period) {
                for (int d = high; d >= low; d--) {
                    sources.add(new Piece(d, d, at + (high - d) * block, origin.slice(CyclicRanks.up(rank, d, size) * block, block)));
                }
            } else {
                addHomes(sources, (int) low, high, at);
            }
            at += (high - low + 1) * block;
        }
        return at;
    }

    /** Adds the RECV ranges of the blocks from the ranks {@code low} to {@code high} below: one range, or two if it wraps around rank 0. */
    private void addHomes(final List<Piece> segments, final int low, final int high, final long at) {
        if (low <= rank && rank < high) {
            addHome(segments, rank + 1, high, at);
            addHome(segments, low, rank, at + (high - rank) * block);
        } else {
            addHome(segments, low, high, at);
        }
    }

    private void addHome(final List<Piece> segments, final int low, final int high, final long at) {
        segments.add(new Piece(low, high, at, Buffer.RECV.at(CyclicRanks.down(rank, high, size) * block, (high - low + 1) * block)));
    }

    private void send(final RadixStep step, final List<Piece> sources, final long bytes) {
        final int to = CyclicRanks.up(rank, step.distance(), size);
        if (sources.size() == 1) {
            plan.send(sources.getFirst().place, to, given);
            return;
        }
        final int digit = step.distance() / step.unit();
        outgoing[digit] = outgoing[digit] == null ? plan.scratch(longest(digit)) : outgoing[digit];
        final BufferRange message = outgoing[digit].slice(0, bytes);
        final int[] packed = new int[sources.size()];
        for (int i = 0; i < packed.length; i++) {
            final Piece p = sources.get(i);
            packed[i] = plan.copy(p.place, message.slice(p.at, p.place.bytes()), all(p, broughtBy, sent[digit]));
            if (p.place.buffer() == Buffer.RECV) {
                note(p, takenBy, packed[i]);
            }
        }
        sent[digit] = new int[] {plan.send(message, to, packed)};
    }

    /** A message with one target holds only blocks that have not moved before, so no earlier block is located in that target. */
    private void receive(final RadixStep step, final List<Piece> targets, final long bytes) {
        final int from = CyclicRanks.down(rank, step.distance(), size);
        if (targets.size() == 1) {
            note(targets.getFirst(), broughtBy, plan.recv(targets.getFirst().place, from, given));
            return;
        }
        final int digit = step.distance() / step.unit();
        incoming[digit] = incoming[digit] == null ? plan.scratch(longest(digit)) : incoming[digit];
        final BufferRange message = incoming[digit].slice(0, bytes);
        final int received = plan.recv(message, from, unpacked[digit]);
        final int[] copies = new int[targets.size()];
        for (int i = 0; i < copies.length; i++) {
            final Piece p = targets.get(i);
            copies[i] = plan.copy(message.slice(p.at, p.place.bytes()), p.place, all(p, takenBy, received));
            note(p, broughtBy, copies[i]);
        }
        unpacked[digit] = copies;
    }

    private static void note(final Piece segment, final int[][] by, final int task) {
        Arrays.fill(by, segment.low, segment.high + 1, new int[] {task});
    }

    private static int[] all(final Piece segment, final int[][] by, final int... more) {
        return IntStream.concat(Arrays.stream(by, segment.low, segment.high + 1).flatMapToInt(Arrays::stream), IntStream.of(more))
            .distinct().toArray();
    }

    /** Returns the length in bytes of the longest message of a digit. */
    private long longest(final int digit) {
        long longest = 0;
        for (long unit = 1; unit * digit < size; unit *= radix) {
            final long period = unit * radix;
            longest = Math.max(longest, size / period * unit + Math.clamp(size % period - digit * unit, 0, unit));
        }
        return longest * block;
    }
}
