package tutti.runtime;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tutti.coll.CollModule;
import tutti.runtime.collective.Collectives;
import tutti.runtime.collective.RepeatedStarts;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.DerivedTypesContract;
import tutti.runtime.comm.Rank;

/**
 * Verifies the contract of the collectives with derived types and user-defined operations, with modules in the runtime; the counterpart of
 * {@link ContractSuite} for basic types. For tests of modules, also by their authors.
 *
 * <p>Stateless; safe for any thread, though two suites at once share the cores.
 */
public final class DerivedTypesSuite {
    private static final int LINK_BYTES = 128 * 1024;
    private static final int MANY_RANKS = 8;
    private static final int MAX_NODES = 3;

    private DerivedTypesSuite() {}

    /**
     * The size and placement of a job.
     *
     * @param ranks  from 1
     * @param nodes  from 1, at most the number of ranks
     * @param blocks whether consecutive ranks share a node; else ranks are placed in turn
     */
    public record Shape(int ranks, int nodes, boolean blocks) {
        private int nodeOf(final int rank) {
            return blocks ? rank * nodes / ranks : rank % nodes;
        }

        @Override
        public String toString() {
            return ranks + " ranks on " + nodes + " nodes, " + (blocks ? "in blocks" : "in turn");
        }
    }

    /**
     * Returns the shapes that a module should be tested in: 1 to 8 ranks on 1 to 3 nodes, in blocks and in turn where that differs, and 16 ranks
     * in one shape of each kind.
     */
    public static Stream<Shape> shapes() {
        final Stream<Shape> few = IntStream.rangeClosed(1, MANY_RANKS).boxed()
            .flatMap(p -> IntStream.rangeClosed(1, Math.min(p, MAX_NODES)).boxed()
                .flatMap(k -> k == 1 || k == p ? Stream.of(new Shape(p, k, true)) : Stream.of(new Shape(p, k, true), new Shape(p, k, false))));
        return Stream.concat(few, Stream.of(new Shape(16, 1, true), new Shape(16, 2, true), new Shape(16, 3, false)));
    }

    /**
     * Verifies every operation: blocking, by requests and by persistent requests in turn, so that each variant is tried in some shape in each form.
     *
     * @param parameters of the job, dotted name to value
     * @throws AssertionError when an answer differs, a rank fails, or the ranks do not end in a minute; then with their stacks
     */
    public static void run(final Shape shape, final Map<String, String> parameters, final List<CollModule> modules) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(LINK_BYTES)) {
            Ranks.run(IntStream.range(0, shape.ranks).map(shape::nodeOf).boxed().toList(), transport,
                Ranks.job(shape.ranks, parameters, modules), rank -> check(rank, shape));
        }
    }

    private static void check(final Rank rank, final Shape shape) {
        final Communicator c = rank.world();
        final List<Collectives<?>> forms = List.of(c.engine().blocking(), c.engine().nonblocking(), RepeatedStarts.on(c));
        final int step = shape.ranks > MANY_RANKS ? 9 : 4;
        final int first = shape.ranks + shape.nodes + (shape.blocks ? 1 : 0);
        for (int v = first % step; v < DerivedTypesContract.VARIANTS; v += step) {
            new DerivedTypesContract(c, forms.get((v / step + first) % forms.size()), v).check();
        }
    }
}
