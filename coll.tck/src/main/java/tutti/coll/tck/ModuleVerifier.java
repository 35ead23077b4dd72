package tutti.coll.tck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;

/**
 * Proves a whole module without running it: every algorithm that it offers for every operation, on communicators of several sizes and on
 * several layouts of nodes, between groups too.
 *
 * <p>Whether a plan costs what the algorithm's Javadoc states is not asked here: that is for tests, with {@link CostSimulator}.
 *
 * <p>The module's code runs on threads of its own, and is given up when it takes longer than the limit: then the report says so, and the thread
 * is interrupted, and left behind if that does not help. Immutable; safe for any thread.
 */
public final class ModuleVerifier {

    /**
     * How much is tried.
     *
     * @param sizes   ranks of intracommunicators
     * @param layouts the layouts for so many ranks
     * @param groups  pairs of sizes of groups
     * @param counts  elements, or bytes where there is no type, for so many ranks
     * @param roots   for so many ranks
     */
    public record Extent(List<Integer> sizes, IntFunction<Collection<NodeLayout>> layouts, List<int[]> groups,
                         IntFunction<? extends Iterable<Integer>> counts, IntFunction<int[]> roots) {

        /** From 1 rank to so many, on layouts of every kind, with all that can matter. */
        public static Extent upTo(final int ranks) {
            return new Extent(IntStream.rangeClosed(1, ranks).boxed().toList(), NodeLayout::all,
                List.of(new int[] {1, 1}, new int[] {1, 3}, new int[] {3, 2}, new int[] {4, 4}), CallCases::counts, CallCases::allRoots);
        }

        /** What is enough to find most mistakes, in a second or so: up to 5 ranks, on one node and on two in turn. */
        public static Extent brief() {
            return new Extent(List.of(1, 2, 3, 4, 5),
                n -> n == 1 ? List.of(NodeLayout.oneNode(1)) : List.of(NodeLayout.oneNode(n), NodeLayout.interleaved(n, 2)),
                List.of(new int[] {1, 1}, new int[] {1, 3}, new int[] {3, 2}), n -> List.of(0, 1, n + 1),
                n -> n == 1 ? new int[] {0} : new int[] {0, n - 1});
        }
    }

    /** Most tasks that a plan may have, by default. */
    public static final int MOST_TASKS = 20_000;

    private static final CollModule NOBODY = comm -> new QueryResult.Declined("nobody");

    private final CollModule module;
    private final CollModule fallback;
    private final Map<String, String> parameters;
    private final int mostTasks;
    private final Duration limit;

    /**
     * A verifier with the usual limits.
     *
     * @param fallback serves on sub-communicators, and within groups, what the module does not; null for none
     */
    public ModuleVerifier(final CollModule module, final CollModule fallback) {
        this(module, fallback, Map.of(), MOST_TASKS, Duration.ofMinutes(10));
    }

    /**
     * A verifier.
     *
     * @param fallback   serves on sub-communicators, and within groups, what the module does not; null for none
     * @param parameters of the job, dotted name to value
     * @param mostTasks  that a plan may have
     * @param limit      of time
     */
    public ModuleVerifier(final CollModule module, final CollModule fallback, final Map<String, String> parameters, final int mostTasks,
                          final Duration limit) {
        this.module = module;
        this.fallback = fallback == null ? NOBODY : fallback;
        this.parameters = Map.copyOf(parameters);
        this.mostTasks = mostTasks;
        this.limit = limit;
    }

    /** Verifies the module. Blocks, until the limit at most; if this thread is interrupted, what was found so far is reported. */
    public VerificationReport run(final Extent extent) {
        final Work work = new Work(extent);
        // a task that lets go of what it ran: somebody may remember the thread, which must not hold the module
        final Thread thread = Thread.ofPlatform().daemon().name("tutti-verifier").start(new FutureTask<>(work, null));
        try {
            if (!work.over.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                work.giveUp("takes too long: limit=" + limit.toMillis() + " ms, at ");
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            work.giveUp("interrupted at ");
        }
        thread.interrupt();
        return work.report();
    }

    private record Key(String operation, String algorithm, boolean inter) { }

    /** One verification; what it found is read by the thread that waits for it. */
    private final class Work implements Runnable {
        private final Extent extent;
        private final long begin = System.nanoTime();
        private final CountDownLatch over = new CountDownLatch(1);
        private final Map<Key, VerificationReport.Proof> proofs = new LinkedHashMap<>();
        private final List<VerificationReport.Declined> declined = new ArrayList<>();
        private String failure;
        private String now = "the beginning";
        private boolean givenUp;

        Work(final Extent extent) {
            this.extent = extent;
        }

        @Override
        public void run() {
            try {
                for (final int size : extent.sizes()) {
                    for (final NodeLayout layout : extent.layouts().apply(size)) {
                        look(CommGroups.one(layout.toArray()), "nodes=" + layout);
                    }
                }
                for (final int[] pair : extent.groups()) {
                    look(VirtualModule.inner(pair[0], NodeLayout.oneNode(pair[0] + pair[1])), "groups=" + pair[0] + "+" + pair[1]);
                }
            } catch (final RuntimeException | LinkageError | StackOverflowError e) {
                fail(e instanceof IllegalStateException ? e.getMessage() : e.toString());
            } finally {
                over.countDown();
            }
        }

        private void look(final CommGroups groups, final String where) {
            at("set-up, " + where);
            final VirtualModule ensemble;
            try {
                // longer than the limit, so that what is given up is the verification
                ensemble = VirtualModule.of(module, fallback, groups, parameters, 2 * limit.toMillis());
            } catch (final IllegalStateException e) {
                throw new IllegalStateException(e.getMessage() + ", " + where, e);
            }
            if (ensemble.declined().isPresent()) {
                decline(new VerificationReport.Declined(where, ensemble.declined().get()));
                return;
            }
            for (final Operation<?> operation : Operation.values()) {
                if (!groups.isInter() || operation.onIntercommunicators()) {
                    for (final String algorithm : ensemble.offers(operation)) {
                        prove(operation, algorithm, ensemble, where);
                    }
                }
            }
        }

        private <C extends Call> void prove(final Operation<C> operation, final String algorithm, final VirtualModule ensemble, final String where) {
            final CommGroups groups = ensemble.groups();
            final Key key = new Key(operation.id(), algorithm, groups.isInter());
            if (flawed(key)) {
                return;
            }
            at(operation + "/" + algorithm + ", " + where);
            final int size = groups.size();
            final List<List<C>> settings = groups.isInter() ? CallCases.between(operation, groups, extent.counts().apply(size))
                : CallCases.of(operation, size, extent.counts().apply(size), extent.roots().apply(size));
            for (final List<C> calls : settings) {
                final PlanChecker.Finding finding = PlanChecker.look(operation, ensemble, algorithm, calls, mostTasks);
                add(key, finding, finding.flaw().map(f -> PlanChecker.counterExample(operation, algorithm, calls, f)), where);
                if (finding.flaw().isPresent()) {
                    return;
                }
            }
        }

        private synchronized void at(final String what) {
            if (givenUp || Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("given up");
            }
            now = what;
        }

        private synchronized boolean flawed(final Key key) {
            return proofs.containsKey(key) && proofs.get(key).flaw() != null;
        }

        private synchronized void decline(final VerificationReport.Declined where) {
            declined.add(where);
        }

        private synchronized void fail(final String why) {
            failure = failure == null ? why : failure;
        }

        private synchronized void add(final Key key, final PlanChecker.Finding finding, final Optional<CounterExample> found, final String where) {
            at(now);
            final VerificationReport.Proof p = proofs.getOrDefault(key,
                new VerificationReport.Proof(key.operation, key.algorithm, key.inter, 0, 0, 0, null, null));
            proofs.put(key, new VerificationReport.Proof(p.operation(), p.algorithm(), p.inter(), p.calls() + 1, p.plans() + finding.plans(),
                p.tasks() + finding.tasks(), found.orElse(null), found.isEmpty() ? null : where));
        }

        synchronized void giveUp(final String why) {
            givenUp = true;
            fail(why + now);
        }

        synchronized VerificationReport report() {
            final List<VerificationReport.Proof> all = List.copyOf(proofs.values());
            return new VerificationReport(all, declined, failure, all.stream().mapToLong(VerificationReport.Proof::plans).sum(),
                all.stream().mapToLong(VerificationReport.Proof::tasks).sum(), Duration.ofNanos(System.nanoTime() - begin));
        }
    }
}
