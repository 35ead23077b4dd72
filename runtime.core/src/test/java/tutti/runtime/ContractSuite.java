package tutti.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.runtime.collective.Collectives;
import tutti.runtime.collective.RepeatedStarts;
import tutti.runtime.comm.CollectivesContract;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.InterContract;
import tutti.runtime.comm.NeighborContract;
import tutti.runtime.comm.Rank;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.transport.Transport;

/**
 * Verifies the contract of the collectives with modules in the runtime: ranks are threads of one JVM, on one node or on several that are
 * connected by a transport within the JVM with small buffers. For tests of modules, also by their authors; the answers are exact.
 *
 * <p>Modules have the simple names of their classes and version 1.0.0. Those under test should be given together with module basic, which serves
 * the operations that they leave out. The explanations of the selection are returned, so that a test notices when a module was never used.
 *
 * <p>Stateless; safe for any thread, though two suites at once share the cores.
 */
public final class ContractSuite {
    private static final int LINK_BYTES = 128 * 1024;
    private static final int MANY_RANKS = 8;
    private static final int MAX_NODES = 3;
    private static final int TOTAL_ELEMENTS = 5000;
    private static final Set<Operation<?>> ROOTED = Set.of(Operation.BCAST, Operation.GATHER, Operation.GATHERV, Operation.REDUCE, Operation.SCATTER,
        Operation.SCATTERV);

    private ContractSuite() {}

    /**
     * The size of a job.
     *
     * @param ranks from 1
     * @param nodes from 1, at most the number of ranks; ranks are placed on the nodes in turn
     */
    public record Shape(int ranks, int nodes) {
        @Override
        public String toString() {
            return ranks + " ranks on " + nodes + " nodes";
        }
    }

    /** Returns the shapes that a module should be tested in: 1 to 16 ranks, powers of two and others, on 1 to 3 nodes. */
    public static Stream<Shape> shapes() {
        return IntStream.concat(IntStream.rangeClosed(1, 8), IntStream.of(16)).boxed()
            .flatMap(p -> IntStream.rangeClosed(1, Math.min(p, MAX_NODES)).mapToObj(k -> new Shape(p, k)));
    }

    /**
     * Verifies every operation, blocking, with the counts that matter and roots at both ends and in the middle.
     *
     * @param parameters of the job, dotted name to value
     * @return the explanations of the selection on rank 0
     * @throws AssertionError when an answer differs, a rank fails, or the ranks do not end in a minute; then with their stacks
     */
    public static List<Explanation> blocking(final Shape shape, final Map<String, String> parameters, final List<CollModule> modules)
        throws Exception {
        return run(shape, parameters, modules, ContractSuite::blocking);
    }

    /** As {@link #blocking(Shape, Map, List)}, over a transport. */
    public static List<Explanation> blocking(final Shape shape, final Transport transport, final Map<String, String> parameters,
        final List<CollModule> modules) throws Exception {
        return run(shape, transport, parameters, modules, ContractSuite::blocking);
    }

    /** As {@link #requests(Shape, Map, List)}, over a transport. */
    public static List<Explanation> requests(final Shape shape, final Transport transport, final Map<String, String> parameters,
        final List<CollModule> modules) throws Exception {
        return run(shape, transport, parameters, modules, ContractSuite::requests);
    }

    /** Verifies like {@link #blocking(Shape, Map, List)}, by requests, with two counts and roots. */
    public static List<Explanation> requests(final Shape shape, final Map<String, String> parameters, final List<CollModule> modules)
        throws Exception {
        return run(shape, parameters, modules, ContractSuite::requests);
    }

    /** Verifies like {@link #requests(Shape, Map, List)}, by persistent requests, each of which is started several times. */
    public static List<Explanation> persistent(final Shape shape, final Map<String, String> parameters, final List<CollModule> modules)
        throws Exception {
        return run(shape, parameters, modules, ContractSuite::persistent);
    }

    /**
     * Verifies every algorithm that a module offers: blocking, by requests and by persistent requests. There is a job for the first algorithm of each
     * operation, one for the second of each operation that has two, and so on; in each job the picked algorithm must be the selected one.
     *
     * @param module     one of the modules, by its class
     * @param parameters of the job; those that pick algorithms are added
     * @return the algorithms that were run, for example {@code allreduce=ring}: all that the module offers; empty where it declines
     * @throws AssertionError as {@link #blocking(Shape, Map, List)}
     */
    public static SortedSet<String> everyAlgorithm(final Shape shape, final Class<? extends CollModule> module, final Map<String, String> parameters,
        final List<CollModule> modules) throws Exception {
        final SortedSet<String> done = new TreeSet<>();
        final List<Map<Operation<?>, String>> rounds = rounds(module.getSimpleName(), run(shape, parameters, modules, rank -> {}));
        for (final Map<Operation<?>, String> round : rounds) {
            final Map<String, String> picked = new HashMap<>(parameters);
            round.forEach((operation, algorithm) -> picked.put("coll." + operation, module.getSimpleName() + "/" + algorithm));
            for (final Explanation e : run(shape, picked, modules, rank -> inAllForms(rank.world(), round.keySet()))) {
                final String algorithm = round.get(Operation.of(e.operation()));
                if (algorithm != null) {
                    assertEquals(module.getSimpleName() + " 1.0.0/" + algorithm, e.module() + "/" + e.algorithm(), e::toString);
                    done.add(e.operation() + "=" + algorithm);
                }
            }
        }
        return done;
    }

    /** Returns rounds: each holds the next algorithm of each operation that has one left. */
    private static List<Map<Operation<?>, String>> rounds(final String module, final List<Explanation> explanations) {
        final List<Map<Operation<?>, String>> rounds = new ArrayList<>();
        for (final Explanation e : explanations) {
            final List<Explanation.Offer> offers = e.offers().stream().filter(o -> o.module().equals(module)).toList();
            for (int i = 0; i < offers.size(); i++) {
                if (i == rounds.size()) {
                    rounds.add(new TreeMap<>());
                }
                rounds.get(i).put(Operation.of(e.operation()), offers.get(i).algorithm());
            }
        }
        return rounds;
    }

    /** Limits the total amount of data, whatever the number of ranks. */
    private static void inAllForms(final Communicator c, final Set<Operation<?>> operations) {
        final Set<Operation<?>> some = new TreeSet<>(operations);
        some.retainAll(CollectivesContract.operations());
        final int ranks = c.size();
        for (final Collectives<?> form : List.of(c.engine().blocking(), c.engine().nonblocking(), RepeatedStarts.on(c))) {
            new CollectivesContract(c, form, ranks + 1, ranks - 1).check(some);
            new CollectivesContract(c, form, TOTAL_ELEMENTS / ranks, 0).check(some);
            if (some.size() < operations.size()) {
                NeighborContract.check(c, form, "all forms");
            }
        }
        for (final int count : new int[] {0, 1}) {
            new CollectivesContract(c, c.engine().nonblocking(), count, ranks / 2).check(some);
        }
    }

    /**
     * Two groups of ranks.
     *
     * @param first  ranks of the first group
     * @param second ranks of the second group
     * @param nodes  number of nodes
     */
    public record Groups(int first, int second, int nodes) {
        @Override
        public String toString() {
            return first + " and " + second + " ranks on " + nodes + " nodes";
        }
    }

    /** Returns the groups that a module should be tested with. */
    public static Stream<Groups> groups() {
        final Stream<int[]> few = IntStream.rangeClosed(1, 4).boxed().flatMap(a -> IntStream.rangeClosed(1, 4).mapToObj(b -> new int[] {a, b}));
        return Stream.concat(few, Stream.of(new int[] {5, 3}, new int[] {1, 7}, new int[] {8, 8}, new int[] {3, 13}))
            .flatMap(g -> IntStream.rangeClosed(1, Math.min(g[0] + g[1], MAX_NODES)).mapToObj(k -> new Groups(g[0], g[1], k)));
    }

    /**
     * Verifies every operation on an intercommunicator, in both directions: blocking, by requests and by persistent requests.
     *
     * @return the explanations of the selection on rank 0 of the first group
     * @throws AssertionError as {@link #blocking(Shape, Map, List)}
     */
    public static List<Explanation> intercommunicators(final Groups groups, final Map<String, String> parameters,
        final List<CollModule> modules) throws Exception {
        return intercommunicators(groups, parameters, modules, InterContract.operations());
    }

    /** Verifies some operations like {@link #intercommunicators(Groups, Map, List)}. */
    private static List<Explanation> intercommunicators(final Groups groups, final Map<String, String> parameters,
        final List<CollModule> modules, final Set<Operation<?>> operations) throws Exception {
        final AtomicReference<List<Explanation>> served = new AtomicReference<>();
        run(new Shape(groups.first + groups.second, groups.nodes), parameters, modules, rank -> {
            final Communicator world = rank.world();
            final boolean first = world.rank() < groups.first;
            final Communicator half = world.split(first ? 0 : 1, first ? world.rank() : -world.rank());
            final Communicator inter = half.createIntercomm(0, world, first ? world.size() - 1 : 0, 1);
            if (world.rank() == 0) {
                served.set(inter.engine().explain());
            }
            for (final int count : new int[] {0, 1, 7, 3001}) {
                new InterContract(inter, first, inter.engine().blocking(), count).check(operations);
                new InterContract(inter, first, inter.engine().nonblocking(), count).check(operations);
                new InterContract(inter, first, RepeatedStarts.on(inter), count).check(operations);
            }
            inter.free();
            half.free();
        });
        return served.get();
    }

    /**
     * Verifies every algorithm that a module offers between groups, as {@link #everyAlgorithm} does on one communicator.
     *
     * @return the algorithms that were run, for example {@code allreduce=leaders}: all that the module offers between groups of these sizes
     */
    public static SortedSet<String> everyAlgorithmBetween(final Groups groups, final Class<? extends CollModule> module,
        final Map<String, String> parameters, final List<CollModule> modules) throws Exception {
        final SortedSet<String> done = new TreeSet<>();
        for (final Map<Operation<?>, String> round : rounds(module.getSimpleName(), intercommunicators(groups, parameters, modules, Set.of()))) {
            final Map<String, String> picked = new HashMap<>(parameters);
            round.forEach((operation, algorithm) -> picked.put("coll." + operation, module.getSimpleName() + "/" + algorithm));
            for (final Explanation e : intercommunicators(groups, picked, modules, round.keySet())) {
                final String algorithm = round.get(Operation.of(e.operation()));
                if (algorithm != null) {
                    assertEquals(module.getSimpleName() + " 1.0.0/" + algorithm, e.module() + "/" + e.algorithm(), e::toString);
                    done.add(e.operation() + "=" + algorithm);
                }
            }
        }
        return done;
    }

    private static void blocking(final Rank rank) {
        final Communicator c = rank.world();
        final int ranks = c.size();
        for (final int count : new TreeSet<>(List.of(0, 1, ranks - 1, ranks, ranks + 1, ranks > MANY_RANKS ? 1009 : 10007))) {
            new CollectivesContract(c, c.engine().blocking(), count, 0).check();
            for (int root = Math.max(1, ranks / 2); root < ranks; root += Math.max(1, ranks - 1 - root)) {
                new CollectivesContract(c, c.engine().blocking(), count, root).check(ROOTED);
            }
        }
        NeighborContract.check(c, c.engine().blocking(), "blocking");
    }

    private static void requests(final Rank rank) {
        final Communicator c = rank.world();
        new CollectivesContract(c, c.engine().nonblocking(), c.size() + 1, c.size() - 1).check();
        new CollectivesContract(c, c.engine().nonblocking(), 3001, 0).check();
        NeighborContract.check(c, c.engine().nonblocking(), "requests");
    }

    private static void persistent(final Rank rank) {
        final Communicator c = rank.world();
        new CollectivesContract(c, RepeatedStarts.on(c), c.size() + 1, c.size() - 1).check();
        new CollectivesContract(c, RepeatedStarts.on(c), 3001, 0).check();
        NeighborContract.check(c, RepeatedStarts.on(c), "persistent");
    }

    private static List<Explanation> run(final Shape shape, final Map<String, String> parameters, final List<CollModule> modules,
        final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(LINK_BYTES)) {
            return run(shape, transport, parameters, modules, body);
        }
    }

    private static List<Explanation> run(final Shape shape, final Transport transport, final Map<String, String> parameters,
        final List<CollModule> modules, final Ranks.Body body) throws Exception {
        final AtomicReference<List<Explanation>> served = new AtomicReference<>();
        Ranks.run(shape.ranks(), shape.nodes(), transport, Ranks.job(shape.ranks(), parameters, modules), rank -> {
            if (rank.worldRank() == 0) {
                served.set(rank.world().engine().explain());
            }
            body.run(rank);
        });
        return served.get();
    }
}
