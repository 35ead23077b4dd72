package tutti.coll.tck;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A term: the symbolic value of an element. It is a rank's contribution, a combination of two terms, an undefined value, or
 * what an opaque task wrote. Terms of one {@link Pool}
 * are interned, so equal terms are the same object and mean equal bits: the same operands, combined in the same order and with the same brackets.
 */
abstract sealed class Term {
    private final int id;
    private final int[] ranks;

    private Term(final int id, final int... ranks) {
        this.id = id;
        this.ranks = ranks;
    }

    /** The contribution of a rank, or an undefined value. */
    private static final class Input extends Term {
        private final String name;

        Input(final int id, final String name, final int... ranks) {
            super(id, ranks);
            this.name = name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** A combination of two terms. */
    private static final class Combination extends Term {
        private final Term low;
        private final Term high;

        Combination(final int id, final Term low, final Term high, final int... ranks) {
            super(id, ranks);
            this.low = low;
            this.high = high;
        }

        @Override
        public String toString() {
            return "(" + low + " " + high + ")";
        }
    }

    /** A value that an opaque task wrote: nothing is known of it. */
    private static final class Unknown extends Term {
        private final String name;
        private final int rank;
        private final int task;

        Unknown(final int id, final String name, final int rank, final int task) {
            super(id);
            this.name = name;
            this.rank = rank;
            this.task = task;
        }

        @Override
        String origin() {
            return ", opaque task " + task + " of rank " + rank + " (" + name + ") wrote it and the plan does not state what it computes: "
                + "plan a copy or a reduction by a worker, or an offloaded collective";
        }

        @Override
        public String toString() {
            return "opaque " + name;
        }
    }

    /** Returns which opaque task is the reason that the term is unknown, for the end of a message; empty for other terms. */
    String origin() {
        return "";
    }

    /** Returns whether the term consists of contributions only. */
    boolean isContribution() {
        return ranks.length > 0;
    }

    /**
     * Returns whether the term is the reduction over the ranks first to last: each contribution once, and in rank order unless the operation
     * commutes.
     */
    boolean covers(final int first, final int last, final boolean commutative) {
        if (ranks.length != last - first + 1) {
            return false;
        }
        final int[] order = ranks.clone();
        if (commutative) {
            Arrays.sort(order);
        }
        for (int i = 0; i < order.length; i++) {
            if (order[i] != first + i) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the term is the reduction over the ranks first to last with the brackets of {@link tutti.coll.ReductionOrder#CANONICAL}. */
    boolean isCanonical(final int first, final int last, final boolean commutative) {
        if (ranks.length != last - first + 1) {
            return false;
        }
        if (!(this instanceof Combination c)) {
            return ranks[0] == first;
        }
        final int next = first + Integer.highestOneBit(last - first);
        return c.low.isCanonical(first, next - 1, commutative) && c.high.isCanonical(next, last, commutative)
            || commutative && c.high.isCanonical(first, next - 1, true) && c.low.isCanonical(next, last, true);
    }

    /** Creates and interns terms. For one thread. */
    static final class Pool {
        private final Map<Long, Term> combined = new HashMap<>();
        private final Map<Integer, Term> inputs = new HashMap<>();
        private final Term undefined = new Input(next(), "undefined");
        private final Term untouched = new Input(next(), "untouched");
        private int made;

        private int next() {
            return made++;
        }

        /** Returns the contribution of {@code rank}. */
        Term input(final int rank) {
            return inputs.computeIfAbsent(rank, r -> new Input(next(), Integer.toString(r), r));
        }

        /** Returns the initial value of a receive buffer. */
        Term untouched() {
            return untouched;
        }

        /** Returns the initial value of scratch memory. */
        Term undefined() {
            return undefined;
        }

        /** Returns a value that an opaque task writes; unlike all others, since nothing is known of it. */
        Term unknown(final String name, final int rank, final int task) {
            return new Unknown(next(), name, rank, task);
        }

        /** Returns {@code low (op) high}. If the operation commutes, the result does not depend on the order of the two. */
        Term combine(final Term low, final Term high, final boolean commutative) {
            if (commutative && low.id > high.id) {
                return combine(high, low, true);
            }
            return combined.computeIfAbsent((long) low.id << Integer.SIZE | high.id, k -> {
                final int[] ranks = Arrays.copyOf(low.ranks, low.ranks.length + high.ranks.length);
                System.arraycopy(high.ranks, 0, ranks, low.ranks.length, high.ranks.length);
                return new Combination(next(), low, high, ranks);
            });
        }
    }
}
