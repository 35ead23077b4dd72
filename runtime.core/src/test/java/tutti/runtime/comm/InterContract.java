package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import tutti.coll.Operation;
import tutti.runtime.collective.Collectives;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.Reserved;

/**
 * The contract of every collective on an intercommunicator, independent of the module that serves it: exact answers against values computed
 * without communication, in both directions, for one rank. The caller chooses blocking or not by its {@link Collectives}.
 *
 * <p>For the thread of the rank. {@link tutti.runtime.ContractSuite} runs it in all relevant shapes.
 */
public final class InterContract {
    private static final Datatype LONG = Datatype.LONG;
    private static final Datatype MAP = LinearMaps.MAP;
    private static final Op COMPOSE = LinearMaps.COMPOSE;
    private static final Map<Operation<?>, BiConsumer<InterContract, Role>> ROOTED = new TreeMap<>(Map.of(
        Operation.BCAST, InterContract::bcast,
        Operation.GATHER, InterContract::gather,
        Operation.GATHERV, InterContract::gatherv,
        Operation.REDUCE, InterContract::reduce,
        Operation.SCATTER, InterContract::scatter,
        Operation.SCATTERV, InterContract::scatterv));
    private static final Map<Operation<?>, Consumer<InterContract>> OTHERS = new TreeMap<>(Map.of(
        Operation.ALLGATHER, InterContract::allgather,
        Operation.ALLGATHERV, InterContract::allgatherv,
        Operation.ALLREDUCE, InterContract::allreduce,
        Operation.ALLTOALL, InterContract::alltoall,
        Operation.ALLTOALLV, InterContract::alltoallv,
        Operation.ALLTOALLW, InterContract::alltoallw,
        Operation.BARRIER, InterContract::barrier,
        Operation.REDUCE_SCATTER, InterContract::reduceScatter,
        Operation.REDUCE_SCATTER_BLOCK, InterContract::reduceScatterBlock));

    private final Collectives<?> c;
    private final int p;
    private final int q;
    private final int me;
    private final int n;
    /**
     * First number of the local ranks, and below of the remote ranks: 0 for the first group, 100 for the second, so that all contributions
     * differ.
     */
    private final int localBase;
    private final int remoteBase;

    /**
     * Creates the contract for an intercommunicator, which all of its ranks check alike.
     *
     * @param first whether the rank is in the first group
     * @param c     collectives of the communicator, blocking or not
     * @param count elements per block
     */
    public InterContract(final Communicator comm, final boolean first, final Collectives<?> c, final int count) {
        this.c = c;
        this.p = comm.size();
        this.q = comm.remoteSize();
        this.me = comm.rank();
        this.n = count;
        this.localBase = first ? 0 : 100;
        this.remoteBase = first ? 100 : 0;
    }

    /** Returns the operations that have a contract: all that MPI defines between groups. */
    public static Set<Operation<?>> operations() {
        final Set<Operation<?>> all = new TreeSet<>(ROOTED.keySet());
        all.addAll(OTHERS.keySet());
        return all;
    }

    /**
     * Checks every operation.
     *
     * @throws AssertionError when an answer differs; it names the operation
     */
    public void check() {
        check(operations());
    }

    /**
     * Checks some operations, each of which is among {@link #operations()}.
     *
     * @throws AssertionError as {@link #check()}
     */
    public void check(final Collection<Operation<?>> some) {
        if (!operations().containsAll(some)) {
            throw new IllegalArgumentException("operations without a contract between groups: asked=" + some);
        }
        barrier();
        for (final boolean fromFirst : new boolean[] {true, false}) {
            final int roots = fromFirst == (localBase == 0) ? p : q;
            for (int root = 0; root < roots; root += Math.max(1, roots - 1)) {
                final boolean rooted = fromFirst == (localBase == 0);
                final Role role = new Role(!rooted ? root : root == me ? Reserved.ROOT : Reserved.PROC_NULL);
                ROOTED.forEach((operation, check) -> {
                    if (some.contains(operation)) {
                        check.accept(this, role);
                    }
                });
            }
        }
        OTHERS.forEach((operation, check) -> {
            if (some.contains(operation)) {
                check.accept(this);
            }
        });
        barrier();
    }

    private void barrier() {
        c.barrier().await();
    }

    /** The role of this rank in a rooted call. */
    private record Role(int root) {
        boolean isRoot() {
            return root == Reserved.ROOT;
        }

        boolean isOther() {
            return root >= 0;
        }
    }

    private static long value(final int who, final int i) {
        return 1_000_003L * (who + 1) + 31L * i;
    }

    private static long[] of(final int who, final long count) {
        final long[] data = new long[(int) count];
        Arrays.setAll(data, i -> value(who, i));
        return data;
    }

    private static long[] filled(final long length) {
        final long[] data = new long[(int) length];
        Arrays.fill(data, -1);
        return data;
    }

    private static long[] longs(final int length, final IntToLongFunction value) {
        final long[] all = new long[length];
        Arrays.setAll(all, value);
        return all;
    }

    private static long[] gapped(final long[] counts) {
        final long[] displs = new long[counts.length];
        for (int i = 1; i < displs.length; i++) {
            displs[i] = displs[i - 1] + counts[i - 1] + 1;
        }
        return displs;
    }

    private static long end(final long[] counts, final long[] displs) {
        return displs[displs.length - 1] + counts[counts.length - 1] + 1;
    }

    /** Returns a block of each rank of a group, one after the other or with gaps. */
    private static long[] blocks(final int group, final long[] counts, final long[] displs, final long length) {
        final long[] data = filled(length);
        for (int r = 0; r < counts.length; r++) {
            System.arraycopy(of(group + r, counts[r]), 0, data, (int) displs[r], (int) counts[r]);
        }
        return data;
    }

    /** Returns the number of elements in the block of a rank of a group, where the numbers differ. */
    private long uneven(final int who) {
        return (n + who) % 5 == 0 ? 0 : n % 100 + who % 100;
    }

    private void bcast(final Role role) {
        if (!role.isRoot() && !role.isOther()) {
            c.bcast(null, 0, null, role.root).await();
            return;
        }
        final long[] data = role.isRoot() ? of(localBase + me, n) : filled(n);
        c.bcast(data, n, LONG, role.root).await();
        assertArrayEquals(of(role.isRoot() ? localBase + me : remoteBase + role.root, n), data, "bcast");
    }

    private void gather(final Role role) {
        if (role.isRoot()) {
            final long[] into = filled((long) n * q);
            c.gather(null, 0, null, into, n, LONG, role.root).await();
            assertArrayEquals(blocks(remoteBase, longs(q, r -> n), longs(q, r -> (long) r * n), (long) n * q), into, "gather");
        } else if (role.isOther()) {
            c.gather(of(localBase + me, n), n, LONG, null, 0, null, role.root).await();
        } else {
            c.gather(null, 0, null, null, 0, null, role.root).await();
        }
    }

    private void gatherv(final Role role) {
        if (role.isRoot()) {
            final long[] counts = longs(q, r -> uneven(remoteBase + r));
            final long[] displs = gapped(counts);
            final long[] into = filled(end(counts, displs));
            c.gatherv(null, 0, null, into, counts, displs, LONG, role.root).await();
            assertArrayEquals(blocks(remoteBase, counts, displs, into.length), into, "gatherv");
        } else if (role.isOther()) {
            final long own = uneven(localBase + me);
            c.gatherv(of(localBase + me, own), own, LONG, null, null, null, null, role.root).await();
        } else {
            c.gatherv(null, 0, null, null, null, null, null, role.root).await();
        }
    }

    private void scatter(final Role role) {
        if (role.isRoot()) {
            c.scatter(of(localBase + me, (long) n * q), n, LONG, null, 0, null, role.root).await();
        } else if (role.isOther()) {
            final long[] into = filled(n);
            c.scatter(null, 0, null, into, n, LONG, role.root).await();
            assertArrayEquals(Arrays.copyOfRange(of(remoteBase + role.root, (long) n * p), me * n, (me + 1) * n), into, "scatter");
        } else {
            c.scatter(null, 0, null, null, 0, null, role.root).await();
        }
    }

    private void scatterv(final Role role) {
        if (role.isRoot()) {
            final long[] counts = longs(q, r -> uneven(remoteBase + r));
            final long[] displs = gapped(counts);
            c.scatterv(blocks(remoteBase, counts, displs, end(counts, displs)), counts, displs, LONG, null, 0, null, role.root).await();
        } else if (role.isOther()) {
            final long[] into = filled(uneven(localBase + me));
            c.scatterv(null, null, null, null, into, into.length, LONG, role.root).await();
            assertArrayEquals(of(localBase + me, into.length), into, "scatterv");
        } else {
            c.scatterv(null, null, null, null, null, 0, null, role.root).await();
        }
    }

    private long[] sum(final int first, final int count) {
        final long[] data = new long[count];
        for (int r = 0; r < q; r++) {
            for (int i = 0; i < count; i++) {
                data[i] += value(remoteBase + r, first + i);
            }
        }
        return data;
    }

    private void reduce(final Role role) {
        if (role.isRoot()) {
            final long[] into = filled(n);
            c.reduce(null, into, n, LONG, Op.SUM, role.root).await();
            assertArrayEquals(sum(0, n), into, "reduce");
            final long[] maps = filled(2L * n);
            c.reduce(null, maps, n, MAP, COMPOSE, role.root).await();
            assertArrayEquals(LinearMaps.composed(remoteBase, remoteBase + q, 0, n), maps, "reduce in rank order");
        } else if (role.isOther()) {
            c.reduce(of(localBase + me, n), null, n, LONG, Op.SUM, role.root).await();
            c.reduce(LinearMaps.of(localBase + me, 0, n), null, n, MAP, COMPOSE, role.root).await();
        } else {
            c.reduce(null, null, 0, null, null, role.root).await();
            c.reduce(null, null, 0, null, null, role.root).await();
        }
    }

    /** Returns the number of elements that each rank of a group contributes to allgather; it differs between the groups. */
    private long share(final int group) {
        return group == 0 ? n : 2L * n;
    }

    private void allgather() {
        final long[] into = filled(share(remoteBase) * q);
        c.allgather(of(localBase + me, share(localBase)), share(localBase), LONG, into, share(remoteBase), LONG).await();
        assertArrayEquals(blocks(remoteBase, longs(q, r -> share(remoteBase)), longs(q, r -> r * share(remoteBase)), into.length), into, "allgather");
        // one group contributes nothing
        final long[] given = filled(localBase == 0 ? 0 : n * q);
        c.allgather(of(localBase + me, n), localBase == 0 ? n : 0, LONG, given, localBase == 0 ? 0 : n, LONG).await();
        assertArrayEquals(localBase == 0 ? new long[0] : blocks(remoteBase, longs(q, r -> n), longs(q, r -> (long) r * n), given.length), given,
            "allgather in one direction");
    }

    private void allgatherv() {
        final long[] counts = longs(q, r -> uneven(remoteBase + r));
        final long[] displs = gapped(counts);
        final long[] into = filled(end(counts, displs));
        final long own = uneven(localBase + me);
        c.allgatherv(of(localBase + me, own), own, LONG, into, counts, displs, LONG).await();
        assertArrayEquals(blocks(remoteBase, counts, displs, into.length), into, "allgatherv");
    }

    /** Returns the data that {@code from} sends to {@code to} in the alltoall family. */
    private static long pair(final int from, final int to, final int i) {
        return 1_000_000L * from + 1000L * to + i;
    }

    private long[] pairs(final boolean outgoing, final long[] counts, final long[] displs, final long length) {
        final long[] data = filled(length);
        for (int r = 0; r < q; r++) {
            for (int i = 0; i < counts[r]; i++) {
                data[(int) displs[r] + i] = outgoing ? pair(localBase + me, remoteBase + r, i) : pair(remoteBase + r, localBase + me, i);
            }
        }
        return data;
    }

    private void alltoall() {
        final long out = share(localBase);
        final long in = share(remoteBase);
        final long[] into = filled(in * q);
        c.alltoall(pairs(true, longs(q, r -> out), longs(q, r -> r * out), out * q), out, LONG, into, in, LONG).await();
        assertArrayEquals(pairs(false, longs(q, r -> in), longs(q, r -> r * in), in * q), into, "alltoall");
    }

    private long between(final int from, final int to) {
        return (n % 50 + from + 2 * to) % 7;
    }

    private void alltoallv() {
        final long[] out = longs(q, r -> between(localBase + me, remoteBase + r));
        final long[] outAt = gapped(out);
        final long[] in = longs(q, r -> between(remoteBase + r, localBase + me));
        final long[] inAt = gapped(in);
        final long[] into = filled(end(in, inAt));
        c.alltoallv(pairs(true, out, outAt, end(out, outAt)), out, outAt, LONG, into, in, inAt, LONG).await();
        assertArrayEquals(pairs(false, in, inAt, into.length), into, "alltoallv");
    }

    private void alltoallw() {
        final long[] out = longs(q, r -> between(localBase + me, remoteBase + r));
        final long[] outAt = gapped(out);
        final long[] in = longs(q, r -> between(remoteBase + r, localBase + me));
        final long[] inAt = gapped(in);
        final long[] into = filled(end(in, inAt));
        final Datatype[] types = new Datatype[q];
        Arrays.setAll(types, r -> r % 2 == 0 ? LONG : Datatype.contiguous(1, LONG));
        c.alltoallw(pairs(true, out, outAt, end(out, outAt)), out, longs(q, r -> 8 * outAt[r]), types, into, in, longs(q, r -> 8 * inAt[r]), types)
            .await();
        assertArrayEquals(pairs(false, in, inAt, into.length), into, "alltoallw");
    }

    private void allreduce() {
        final long[] into = filled(n);
        c.allreduce(of(localBase + me, n), into, n, LONG, Op.SUM).await();
        assertArrayEquals(sum(0, n), into, "allreduce");
        final long[] maps = filled(2L * n);
        c.allreduce(LinearMaps.of(localBase + me, 0, n), maps, n, MAP, COMPOSE).await();
        assertArrayEquals(LinearMaps.composed(remoteBase, remoteBase + q, 0, n), maps, "allreduce in rank order");
    }

    private void reduceScatterBlock() {
        final int own = n % 100 * q;
        final int total = n % 100 * p * q;
        final long[] block = filled(own);
        c.reduceScatterBlock(of(localBase + me, total), block, own, LONG, Op.SUM).await();
        assertArrayEquals(sum(me * own, own), block, "reduce_scatter_block");
        final long[] maps = filled(2L * own);
        c.reduceScatterBlock(LinearMaps.of(localBase + me, 0, total), maps, own, MAP, COMPOSE).await();
        assertArrayEquals(LinearMaps.composed(remoteBase, remoteBase + q, me * own, own), maps,
            "reduce_scatter_block in rank order");
    }

    private void reduceScatter() {
        final int own = n % 100 * q;
        final int total = n % 100 * p * q;
        // the last gets what the first lacks
        final long[] counts = longs(p, r -> p == 1 ? own : r == 0 ? 0 : r == p - 1 ? 2 * own : own);
        final int first = me == 0 ? 0 : (me - 1) * own;
        final long[] mine = filled(counts[me]);
        c.reduceScatter(of(localBase + me, total), mine, counts, LONG, Op.SUM).await();
        assertArrayEquals(sum(first, mine.length), mine, "reduce_scatter");
    }
}
