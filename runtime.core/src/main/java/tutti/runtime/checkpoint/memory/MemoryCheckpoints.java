package tutti.runtime.checkpoint.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.runtime.checkpoint.store.MemoryOption;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;
import tutti.runtime.datatype.Op;

/**
 * The checkpoints that a rank keeps in memory, for itself and for ranks of its group. They are lost with the rank.
 *
 * <p>A rank keeps a checkpoint until it knows that all ranks have the next one, so there always is one that the ranks which live can restore,
 * whenever others fail. No agreement is needed when one is made: ranks compare what they hold when they restore.
 *
 * <p><b>Threads.</b> For one thread of the rank at a time.
 */
public final class MemoryCheckpoints {
    private final MemoryOption option;
    /** The checkpoints, the newest first: the last one that all ranks have, as this one knows, and newer ones. */
    private final List<HeldState> held = new ArrayList<>();
    private int number;
    private boolean hasRisks;
    /** The state that was restored last, which the program reads when it registers it; its memory is not used again. */
    private MemorySegment restored = MemorySegment.NULL;
    private MemorySegment freeState = MemorySegment.NULL;
    private MemorySegment freeChecks = MemorySegment.NULL;

    /**
     * A checkpoint that can be restored.
     *
     * @param number  its number
     * @param point   number of the point in the program
     * @param missing by rank, whether it lacks its state
     * @param groups  the groups at that time
     * @param lengths lengths of the states
     */
    public record Found(int number, long point, boolean[] missing, BuddyGroups groups, long[] lengths) {}

    /** Creates the checkpoints of a rank that has none. */
    public MemoryCheckpoints(final MemoryOption option) {
        this.option = option;
    }

    /** Returns how checkpoints are made. */
    public MemoryOption option() {
        return option;
    }

    /** Returns those of several nodes whose loss would lose states, the first time that there are some; no node afterwards. */
    public List<Integer> newRisks(final int[] nodes) {
        if (hasRisks || Arrays.stream(nodes).distinct().count() < 2) {
            return List.of();
        }
        final List<Integer> risks = BuddyGroups.of(option, nodes).nodesAtRisk(nodes);
        hasRisks = !risks.isEmpty();
        return risks;
    }

    /**
     * Saves the states of all ranks, which call this together.
     *
     * @param nodes node of each rank
     * @param point number of the point in the program
     * @param state the state of this rank; null if there is a problem
     * @param why   the problem of this rank; null if it has none
     * @return the problem of the first rank that has one; null when all states are saved
     */
    public CheckpointExchange.@Nullable Problem save(final CheckpointExchange exchange, final int[] nodes, final long point,
        final @Nullable SavedRank state, final @Nullable String why) {
        MemorySegment bytes = MemorySegment.NULL;
        String problem = why;
        if (state != null) {
            try {
                bytes = StateBytes.write(state, n -> allocate(freeState, n));
                freeState = MemorySegment.NULL;
            } catch (final IOException | IllegalArgumentException | OutOfMemoryError e) {
                problem = noMemory(state.bytes(), e);
            }
        }
        return keep(exchange, nodes, point, bytes, problem);
    }

    private static String noMemory(final long bytes, final Throwable e) {
        return "no memory for a checkpoint: bytes=" + bytes + ": " + e.getMessage();
    }

    /** Keeps a state, and checks of those of the others. */
    private CheckpointExchange.@Nullable Problem keep(final CheckpointExchange exchange, final int[] nodes, final long point,
        final MemorySegment state,
        final @Nullable String why) {
        final int self = exchange.comm().rank();
        final BuddyGroups groups = BuddyGroups.of(option, nodes);
        final long[] lengths = new long[nodes.length];
        lengths[self] = state.byteSize();
        exchange.combine(lengths, Op.MAX);
        final GroupExchange group = new GroupExchange(groups.groupOf(self), lengths);
        MemorySegment checks = MemorySegment.NULL;
        String problem = why;
        try {
            checks = allocate(freeChecks, group.checkBytes());
            freeChecks = MemorySegment.NULL;
        } catch (final IllegalArgumentException | OutOfMemoryError e) {
            problem = noMemory(group.checkBytes(), e);
        }
        final CheckpointExchange.Problem first = exchange.agree(point, problem);
        if (first != null) {
            return first;
        }
        number++;
        group.encode(self, state, checks, exchange.messages());
        final HeldState made = new HeldState(number, point, groups, lengths, state, checks);
        held.addFirst(made);
        // when it ends here, all ranks have the checkpoint
        exchange.combine(new long[1], Op.MAX);
        for (final HeldState old : held.subList(1, held.size())) {
            freeChecks = old.checks();
            if (old.state().address() != state.address() && old.state().address() != restored.address()) {
                freeState = old.state();
            }
        }
        held.subList(1, held.size()).clear();
        return null;
    }

    /** Returns memory of so many bytes: that of an older checkpoint, if it is large enough and not much larger. */
    private static MemorySegment allocate(final MemorySegment free, final long bytes) {
        return free.byteSize() >= bytes && free.byteSize() / 2 <= bytes ? free.asSlice(0, bytes) : Arena.ofAuto().allocate(bytes, Long.BYTES);
    }

    /**
     * Finds the newest checkpoint that can be restored, together with all ranks of a communicator.
     *
     * @return the checkpoint, equal on all ranks; null if there is none
     */
    public @Nullable Found find(final CheckpointExchange exchange) {
        final long[] next = {number};
        exchange.combine(next, Op.MAX);
        number = (int) next[0];
        Found found = null;
        for (int bound = Integer.MAX_VALUE; found == null && bound > 0;) {
            final int below = bound;
            final long[] candidate = {held.stream().mapToInt(HeldState::number).filter(n -> n < below).findFirst().orElse(0)};
            exchange.combine(candidate, Op.MAX);
            bound = (int) candidate[0];
            if (bound > 0) {
                found = check(exchange, bound);
            }
        }
        return found;
    }

    /** Exchanges what ranks hold of a checkpoint; returns null unless the states of the others follow from it. */
    private @Nullable Found check(final CheckpointExchange exchange, final int candidate) {
        final int size = exchange.comm().size();
        final HeldState own = held(candidate);
        final long[] values = new long[3 * size + 1];
        if (own != null) {
            System.arraycopy(own.groups().numbers(), 0, values, 0, size);
            System.arraycopy(own.lengths(), 0, values, size, size);
            values[2 * size + exchange.comm().rank()] = 1;
            values[3 * size] = own.point();
        }
        exchange.combine(values, Op.MAX);
        final long[] numbers = new long[size];
        final long[] lengths = new long[size];
        System.arraycopy(values, 0, numbers, 0, size);
        System.arraycopy(values, size, lengths, 0, size);
        final boolean[] missing = new boolean[size];
        for (int r = 0; r < size; r++) {
            missing[r] = values[2 * size + r] == 0;
        }
        final BuddyGroups groups = BuddyGroups.ofNumbers(numbers);
        return groups.survives(missing) ? new Found(candidate, values[3 * size], missing, groups, lengths) : null;
    }

    private @Nullable HeldState held(final int wanted) {
        return held.stream().filter(h -> h.number() == wanted).findFirst().orElse(null);
    }

    /**
     * Restores a checkpoint that was found, together with all ranks, and keeps it anew, on the nodes that the ranks have now.
     *
     * @param nodes node of each rank
     * @param point number of the point at which it is kept
     * @return the state of this rank
     * @throws IOException when some rank has no memory for it
     */
    public StoredRank restore(final CheckpointExchange exchange, final Found found, final int[] nodes, final long point) throws IOException {
        final int self = exchange.comm().rank();
        final HeldState own = held(found.number);
        MemorySegment state = MemorySegment.NULL;
        String problem = null;
        try {
            state = own != null ? own.state() : allocate(MemorySegment.NULL, found.lengths[self]);
        } catch (final IllegalArgumentException | OutOfMemoryError e) {
            problem = noMemory(found.lengths[self], e);
        }
        throwIf(exchange.agree(point, problem));
        new GroupExchange(found.groups.groupOf(self), found.lengths)
            .recover(self, found.missing, state, own == null ? null : own.checks(), exchange.messages());
        // newer ones will never be restored, since too many ranks lack them
        held.removeIf(h -> h.number() > found.number);
        restored = state;
        throwIf(keep(exchange, nodes, point, state, null));
        return StateBytes.read(state);
    }

    private static void throwIf(final CheckpointExchange.@Nullable Problem problem) throws IOException {
        if (problem != null) {
            throw new IOException("rank " + problem.rank() + ": " + problem.text());
        }
    }
}
