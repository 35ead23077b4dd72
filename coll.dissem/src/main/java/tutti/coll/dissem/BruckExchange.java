package tutti.coll.dissem;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/**
 * The way of all blocks of an alltoall, as one rank sees it. Blocks are called by the distance that they travel in all; what this rank has
 * of distance d lies at first where the block for the rank d above was given, and once it was moved where the block of the rank d
 * below belongs. For one plan.
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
    /** By distance: which task put it where it lies in RECV; and which task has taken it from there since. */
    private final int[][] broughtBy;
    private final int[][] takenBy;
    /** By digit: memory for what goes, and for what comes, and who used it last. */
    private final BufferRange[] outgoing;
    private final BufferRange[] incoming;
    private final int[][] sent;
    private final int[][] unpacked;

    /** A part of a message that lies in one place: distances from {@code low} to {@code high}, from {@code at} bytes on in the message. */
    private record Piece(int low, int high, long at, BufferRange place) { }

    /**
     * @param block  bytes of a block
     * @param origin where the blocks for ranks 0, 1, … are given
     * @param given  tasks after which they are there and RECV may be written
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

    /** Moves everything. */
    void plan(final List<RadixStep> hops) {
        for (final RadixStep hop : hops) {
            final List<Piece> targets = new ArrayList<>();
            final List<Piece> sources = new ArrayList<>();
            final long bytes = look(hop, targets, sources);
            send(hop, sources, bytes);
            receive(hop, targets, bytes);
        }
    }

    /** Finds what goes over a hop, long distances first, and returns its length. */
    private long look(final RadixStep hop, final List<Piece> targets, final List<Piece> sources) {
        final long period = (long) hop.unit() * radix;
        final long last = hop.distance() + (size - 1L - hop.distance()) / period * period;
        long at = 0;
        for (long low = last; low > 0; low -= period) {
            final int high = (int) Math.min(low + hop.unit(), size) - 1;
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

    /** Where the blocks of the ranks below by {@code low} to {@code high} belong: one place, or two around rank 0. */
    private void addHomes(final List<Piece> pieces, final int low, final int high, final long at) {
        if (low <= rank && rank < high) {
            addHome(pieces, rank + 1, high, at);
            addHome(pieces, low, rank, at + (high - rank) * block);
        } else {
            addHome(pieces, low, high, at);
        }
    }

    private void addHome(final List<Piece> pieces, final int low, final int high, final long at) {
        pieces.add(new Piece(low, high, at, Buffer.RECV.at(CyclicRanks.down(rank, high, size) * block, (high - low + 1) * block)));
    }

    private void send(final RadixStep hop, final List<Piece> sources, final long bytes) {
        final int to = CyclicRanks.up(rank, hop.distance(), size);
        if (sources.size() == 1) {
            plan.send(sources.getFirst().place, to, given);
            return;
        }
        final int digit = hop.distance() / hop.unit();
        outgoing[digit] = outgoing[digit] == null ? plan.scratch(longest(digit)) : outgoing[digit];
        final BufferRange room = outgoing[digit].slice(0, bytes);
        final int[] packed = new int[sources.size()];
        for (int i = 0; i < packed.length; i++) {
            final Piece p = sources.get(i);
            packed[i] = plan.copy(p.place, room.slice(p.at, p.place.bytes()), all(p, broughtBy, sent[digit]));
            if (p.place.buffer() == Buffer.RECV) {
                note(p, takenBy, packed[i]);
            }
        }
        sent[digit] = new int[] {plan.send(room, to, packed)};
    }

    /** A message for one place has only blocks that begin their journey: nothing of theirs lies in that place. */
    private void receive(final RadixStep hop, final List<Piece> targets, final long bytes) {
        final int from = CyclicRanks.down(rank, hop.distance(), size);
        if (targets.size() == 1) {
            note(targets.getFirst(), broughtBy, plan.recv(targets.getFirst().place, from, given));
            return;
        }
        final int digit = hop.distance() / hop.unit();
        incoming[digit] = incoming[digit] == null ? plan.scratch(longest(digit)) : incoming[digit];
        final BufferRange room = incoming[digit].slice(0, bytes);
        final int received = plan.recv(room, from, unpacked[digit]);
        final int[] copies = new int[targets.size()];
        for (int i = 0; i < copies.length; i++) {
            final Piece p = targets.get(i);
            copies[i] = plan.copy(room.slice(p.at, p.place.bytes()), p.place, all(p, takenBy, received));
            note(p, broughtBy, copies[i]);
        }
        unpacked[digit] = copies;
    }

    private static void note(final Piece piece, final int[][] by, final int task) {
        Arrays.fill(by, piece.low, piece.high + 1, new int[] {task});
    }

    private static int[] all(final Piece piece, final int[][] by, final int... more) {
        return IntStream.concat(Arrays.stream(by, piece.low, piece.high + 1).flatMapToInt(Arrays::stream), IntStream.of(more)).distinct().toArray();
    }

    /** The bytes of the longest message of a digit. */
    private long longest(final int digit) {
        long longest = 0;
        for (long unit = 1; unit * digit < size; unit *= radix) {
            final long period = unit * radix;
            longest = Math.max(longest, size / period * unit + Math.clamp(size % period - digit * unit, 0, unit));
        }
        return longest * block;
    }
}
