package tutti.runtime.checkpoint.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/**
 * The exchange of a group of ranks that keep checks for each other.
 *
 * <p>Each state is cut into chunks, and the chunks of the group are arranged in stripes, as on disks: as many stripes as ranks, of each of which
 * {@code checks} ranks hold a check and the others have a chunk of data. Stripe {@code s} has its first check on rank {@code s}, its further ones on
 * the ranks behind, and then its data. States are of different lengths; what a chunk lacks is zero and is not sent.
 */
final class GroupExchange {
    /** Bytes of a message: few enough for the caches. */
    private static final int PART = 1 << 20;
    /** Receives at once. */
    private static final int WINDOW = 4;
    private static final int TAG = 1;

    private final List<Integer> group;
    private final long[] lengths;
    private final int checks;
    private final int data;
    private final long chunk;
    private final ErasureCode code;

    /**
     * A chunk of one rank that is added to one of another, times a coefficient. Ranks are indices in the group. Chunks are those of data, and then
     * those of checks.
     */
    private record Transfer(int from, int chunk, int to, int target, int coefficient) {}

    /** A part of a chunk that is received, at once in its place or to be added there. */
    private record Part(Request request, MemorySegment target, @Nullable MemorySegment staging, int coefficient) {}

    /** Creates the exchange of the group of a rank, whose states have these lengths. */
    GroupExchange(final BuddyGroups.Group group, final long[] lengths) {
        this.group = group.ranks();
        this.lengths = group.ranks().stream().mapToLong(r -> lengths[r]).toArray();
        this.checks = group.checks();
        this.data = this.group.size() - checks;
        this.chunk = (Arrays.stream(this.lengths).max().orElse(0) + data - 1) / data;
        this.code = new ErasureCode(data, checks);
    }

    /** Returns the bytes of the checks that a rank keeps. */
    long checkBytes() {
        return checks * chunk;
    }

    /** Computes the checks that a rank keeps, together with the others of its group. */
    void encode(final int rank, final MemorySegment state, final MemorySegment kept, final PointToPoint messages) {
        final List<Transfer> all = new ArrayList<>();
        for (int j = 0; j < checks; j++) {
            for (int d = 0; d < data; d++) {
                for (int s = 0; s < group.size(); s++) {
                    all.add(new Transfer(at(s + checks + d), d, at(s + j), data + j, code.coefficient(j, d)));
                }
            }
        }
        kept.fill((byte) 0);
        run(all, group.indexOf(rank), state, kept, messages);
    }

    /**
     * Computes the states of ranks that are missing, together with the others of the group.
     *
     * @param missing by rank of the communicator
     * @param state   the state of this rank, to be computed if it is missing
     * @param kept    the checks that this rank keeps; null if it is missing
     */
    void recover(final int rank, final boolean[] missing, final MemorySegment state, final @Nullable MemorySegment kept,
        final PointToPoint messages) {
        final List<Transfer> all = new ArrayList<>();
        for (int to = 0; to < group.size(); to++) {
            for (int s = 0; s < group.size() && missing[group.get(to)]; s++) {
                recover(s, to, missing, all);
            }
        }
        run(all, group.indexOf(rank), state, kept, messages);
    }

    private void recover(final int stripe, final int to, final boolean[] missing, final List<Transfer> all) {
        final int[] lost = IntStream.range(0, data).filter(d -> missing[group.get(at(stripe + checks + d))]).toArray();
        final int target = Math.floorMod(to - stripe - checks, group.size());
        if (target < data) {
            final int[] using = IntStream.range(0, checks).filter(j -> !missing[group.get(at(stripe + j))]).limit(lost.length).toArray();
            final int[] coefficients = code.recover(lost, using, Arrays.binarySearch(lost, target));
            for (int c = 0; c < coefficients.length; c++) {
                if (coefficients[c] != 0) {
                    all.add(new Transfer(c < data ? at(stripe + checks + c) : at(stripe + c - data), c, to, target, coefficients[c]));
                }
            }
        }
    }

    private int at(final int index) {
        return index % group.size();
    }

    /** Returns the bytes of a chunk that a rank has. */
    private long bytes(final int index, final int which) {
        return which < data ? Math.clamp(lengths[index] - which * chunk, 0, chunk) : chunk;
    }

    private MemorySegment slice(final int which, final long at, final long bytes, final MemorySegment state, final @Nullable MemorySegment kept) {
        if (which < data) {
            return state.asSlice(which * chunk + at, bytes);
        }
        if (kept == null) {
            throw new IllegalStateException("a rank that is missing has no checks");
        }
        return kept.asSlice((which - data) * chunk + at, bytes);
    }

    private void run(final List<Transfer> all, final int self, final MemorySegment state, final @Nullable MemorySegment kept,
        final PointToPoint messages) {
        final List<Request> sends = new ArrayList<>();
        for (final Transfer t : all) {
            if (t.from == self) {
                final long bytes = Math.min(bytes(t.from, t.chunk), bytes(t.to, t.target));
                for (long at = 0; at < bytes; at += PART) {
                    final long part = Math.min(PART, bytes - at);
                    sends.add(messages.isend(SendMode.STANDARD, slice(t.chunk, at, part, state, kept), part, Datatype.BYTE, group.get(t.to), TAG));
                }
            }
        }
        receive(all, self, state, kept, messages);
        sends.forEach(Request::await);
    }

    private void receive(final List<Transfer> all, final int self, final MemorySegment state, final @Nullable MemorySegment kept,
        final PointToPoint messages) {
        final Queue<MemorySegment> free = new ArrayDeque<>();
        final Queue<Part> open = new ArrayDeque<>();
        final boolean[] isBegun = new boolean[group.size()];
        for (final Transfer t : all) {
            if (t.to != self) {
                continue;
            }
            final long bytes = Math.min(bytes(t.from, t.chunk), bytes(t.to, t.target));
            final boolean isDirect = !isBegun[t.target] && t.coefficient == 1;
            isBegun[t.target] = true;
            for (long at = 0; at < bytes; at += PART) {
                if (open.size() == WINDOW) {
                    finish(open.remove(), free);
                }
                final long part = Math.min(PART, bytes - at);
                final MemorySegment target = slice(t.target, at, part, state, kept);
                final MemorySegment staging = isDirect ? null : free.isEmpty() ? MemorySegment.ofArray(new byte[PART]) : free.remove();
                final MemorySegment into = staging == null ? target : staging.asSlice(0, part);
                open.add(new Part(messages.irecv(into, part, Datatype.BYTE, group.get(t.from), TAG), target, staging, t.coefficient));
            }
        }
        while (!open.isEmpty()) {
            finish(open.remove(), free);
        }
    }

    private static void finish(final Part part, final Queue<MemorySegment> free) {
        part.request.await();
        if (part.staging != null) {
            ErasureCode.add(part.target, part.staging.asSlice(0, part.target.byteSize()), part.coefficient);
            free.add(part.staging);
        }
    }
}
