package tutti.coll.tck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.tck.limit.CpuLimit;

/**
 * Verifies a whole module without running it: proves every algorithm for every operation that it offers, on communicators of several sizes and node
 * layouts, and on intercommunicators.
 *
 * <p>It does not check the cost that an algorithm's Javadoc states; tests do that with {@link CostSimulator}.
 *
 * <p>The module's code runs on threads of its own, whose processor time is limited: see {@link CpuLimit}. A verification that reaches the limit is
 * abandoned, which the report states: its thread is interrupted, and left behind if it does not end. Immutable; safe for any thread.
 *
 * <pre>{@code
 * VerificationReport report = new ModuleVerifier(new MyModule(), new BasicModule()).run(ModuleVerifier.Extent.upTo(16));
 * assertTrue(report.isSound(), () -> report.problem().orElseThrow());
 * }</pre>
 */
public final class ModuleVerifier {

    /**
     * The communicators and calls that a verification covers.
     *
     * @param sizes   numbers of ranks of intracommunicators
     * @param layouts the node layouts for a number of ranks
     * @param groups  pairs of group sizes of intercommunicators
     * @param counts  the counts for a number of ranks, in elements, or in bytes for operations without a datatype
     * @param roots   the roots for a number of ranks
     */
    public record Extent(List<Integer> sizes, IntFunction<Collection<NodeLayout>> layouts, List<int[]> groups,
        IntFunction<? extends Iterable<Integer>> counts, IntFunction<int[]> roots) {

        /**
         * Returns a thorough extent: 1 to {@code ranks} ranks on layouts of every kind, with every count of {@link CallCases#counts} and every root,
         * and four pairs of groups.
         */
        public static Extent upTo(final int ranks) {
            return new Extent(IntStream.rangeClosed(1, ranks).boxed().toList(), NodeLayout::all,
                List.of(new int[] {1, 1}, new int[] {1, 3}, new int[] {3, 2}, new int[] {4, 4}), CallCases::counts, CallCases::allRoots);
        }

        /**
         * Returns a brief extent that finds most errors in about a second: 1 to 5 ranks, on one node and interleaved on two, with three counts and
         * two roots, and three pairs of groups.
         */
        public static Extent brief() {
            return new Extent(List.of(1, 2, 3, 4, 5),
                n -> n == 1 ? List.of(NodeLayout.oneNode(1)) : List.of(NodeLayout.oneNode(n), NodeLayout.interleaved(n, 2)),
                List.of(new int[] {1, 1}, new int[] {1, 3}, new int[] {3, 2}), n -> List.of(0, 1, n + 1),
                n -> n == 1 ? new int[] {0} : new int[] {0, n - 1});
        }
    }

    /** The default limit of the number of tasks in a plan. */
    public static final int MAX_TASKS = 20_000;

    private static final CollModule NO_FALLBACK = comm -> new QueryResult.Declined("nobody");

    private final CollModule module;
    private final CollModule fallback;
    private final Map<String, String> parameters;
    private final int maxTasks;
    private final Duration limit;

    /**
     * Creates a verifier without parameters and with the default limits: {@link #MAX_TASKS} tasks in a plan, and 10 minutes of processor
     * time.
     *
     * @param module   the module to verify
     * @param fallback the module that serves, on sub-communicators and within groups, what {@code module} does not; null for none
     */
    public ModuleVerifier(final CollModule module, final @Nullable CollModule fallback) {
        this(module, fallback, Map.of(), MAX_TASKS, Duration.ofMinutes(10));
    }

    /**
     * Creates a verifier.
     *
     * @param module     the module to verify
     * @param fallback   the module that serves, on sub-communicators and within groups, what {@code module} does not; null for none
     * @param parameters of the job, dotted name to value
     * @param maxTasks   limit of the number of tasks in a plan
     * @param limit      processor time of a verification
     */
    public ModuleVerifier(final CollModule module, final @Nullable CollModule fallback, final Map<String, String> parameters, final int maxTasks,
        final Duration limit) {
        this.module = module;
        this.fallback = fallback == null ? NO_FALLBACK : fallback;
        this.parameters = Map.copyOf(parameters);
        this.maxTasks = maxTasks;
        this.limit = limit;
    }

    /**
     * Verifies the module and returns a report. Blocks at most until the limit. If the calling thread is interrupted, the report has what was
     * found so far, and the interrupt status is set.
     */
    public VerificationReport run(final Extent extent) {
        final Verification work = new Verification(extent);
        final CpuLimit cpu = new CpuLimit("tutti-verifier", limit);
        final Thread thread = cpu.start("tutti-verifier", work);
        try {
            final CpuLimit.Verdict verdict = cpu.await(t -> work.finished.await(t.toMillis(), TimeUnit.MILLISECONDS));
            if (verdict != CpuLimit.Verdict.ENDED) {
                work.cancel("takes too long: " + cpu.text(verdict) + ", at ");
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            work.cancel("interrupted at ");
        }
        thread.interrupt();
        return work.report();
    }

    /**
     * Returns the names of the algorithms that the module offers, by the id of the operation, in the module's order; operations that it does not
     * offer are missing. It is asked for communicators of 4 and 5 ranks, on one node, in blocks on two nodes and interleaved on two, and for an
     * intercommunicator of 2 and 2 ranks. Makes no plans. Blocks, at most until the limit for each of them.
     *
     * @throws IllegalStateException if query or set-up fails on a rank, or takes too long
     */
    public SortedMap<String, List<String>> algorithms() {
        final SortedMap<String, List<String>> names = new TreeMap<>();
        for (final CommGroups groups : List.of(CommGroups.intra(NodeLayout.interleaved(4, 2)), CommGroups.intra(4),
            CommGroups.intra(NodeLayout.interleaved(5, 2)), CommGroups.intra(NodeLayout.blocks(4, 2)),
            VirtualModule.interGroups(2, NodeLayout.oneNode(4)))) {
            try (VirtualModule virtual = VirtualModule.of(module, fallback, groups, parameters, limit.toMillis())) {
                for (final Operation<?> operation : virtual.declined().isEmpty() ? groups.operations() : List.<Operation<?>>of()) {
                    for (final String name : virtual.offers(operation)) {
                        final List<String> known = names.computeIfAbsent(operation.id(), o -> new ArrayList<>());
                        if (!known.contains(name)) {
                            known.add(name);
                        }
                    }
                }
            }
        }
        return names;
    }

    private record Key(String operation, String algorithm, boolean inter) {}

    /** One verification. Its results are read by the thread that waits for it. */
    private final class Verification implements Runnable {
        private final Extent extent;
        private final long begin = System.nanoTime();
        private final CountDownLatch finished = new CountDownLatch(1);
        private final Map<Key, VerificationReport.Proof> proofs = new LinkedHashMap<>();
        private final List<VerificationReport.Declined> declined = new ArrayList<>();
        private @Nullable String failure;
        private String position = "the start";
        private boolean cancelled;

        Verification(final Extent extent) {
            this.extent = extent;
        }

        @Override
        public void run() {
            try {
                for (final int size : extent.sizes()) {
                    for (final NodeLayout layout : extent.layouts().apply(size)) {
                        verify(CommGroups.intra(layout), "nodes=" + layout);
                    }
                }
                for (final int[] pair : extent.groups()) {
                    verify(VirtualModule.interGroups(pair[0], NodeLayout.oneNode(pair[0] + pair[1])), "groups=" + pair[0] + "+" + pair[1]);
                }
            } catch (final RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
                fail(e instanceof IllegalStateException && e.getMessage() != null ? e.getMessage() : e.toString());
            } finally {
                finished.countDown();
            }
        }

        private void verify(final CommGroups groups, final String where) {
            enter("set-up, " + where);
            // longer than the limit, so that the verification times out before the set-up
            try (VirtualModule virtual = VirtualModule.of(module, fallback, groups, parameters, 2 * limit.toMillis())) {
                if (virtual.declined().isPresent()) {
                    decline(new VerificationReport.Declined(where, virtual.declined().get()));
                } else {
                    for (final Operation<?> operation : groups.operations()) {
                        for (final String algorithm : virtual.offers(operation)) {
                            prove(operation, algorithm, virtual, where);
                        }
                    }
                    enter("dispose, " + where);
                }
            } catch (final IllegalStateException e) {
                throw new IllegalStateException(e.getMessage() + ", " + where, e);
            }
        }

        private <C extends Call> void prove(final Operation<C> operation, final String algorithm, final VirtualModule virtual, final String where) {
            final CommGroups groups = virtual.groups();
            final Key key = new Key(operation.id(), algorithm, groups.isInter());
            if (hasCounterExample(key)) {
                return;
            }
            enter(operation + "/" + algorithm + ", " + where);
            final int size = groups.size();
            final List<List<C>> cases = groups.isInter() ? CallCases.between(operation, groups, extent.counts().apply(size))
                : CallCases.of(operation, size, extent.counts().apply(size), extent.roots().apply(size));
            for (final List<C> calls : cases) {
                final PlanChecker.CheckResult finding = PlanChecker.examine(operation, virtual, algorithm, calls, maxTasks);
                add(key, finding, finding.failure().map(f -> PlanChecker.counterExample(operation, algorithm, calls, f)), where);
                if (finding.failure().isPresent()) {
                    return;
                }
            }
        }

        private synchronized void enter(final String what) {
            if (cancelled || Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("verification cancelled");
            }
            position = what;
        }

        private synchronized boolean hasCounterExample(final Key key) {
            return proofs.containsKey(key) && proofs.get(key).counterExample() != null;
        }

        private synchronized void decline(final VerificationReport.Declined where) {
            declined.add(where);
        }

        private synchronized void fail(final String why) {
            failure = failure == null ? why : failure;
        }

        private synchronized void add(final Key key, final PlanChecker.CheckResult finding, final Optional<CounterExample> found,
            final String where) {
            enter(position);
            final VerificationReport.Proof p = proofs.getOrDefault(key,
                new VerificationReport.Proof(key.operation, key.algorithm, key.inter, 0, 0, 0, null, null));
            proofs.put(key, new VerificationReport.Proof(p.operation(), p.algorithm(), p.inter(), p.calls() + 1, p.plans() + finding.plans(),
                p.tasks() + finding.tasks(), found.orElse(null), found.isEmpty() ? null : where));
        }

        synchronized void cancel(final String why) {
            cancelled = true;
            fail(why + position);
        }

        synchronized VerificationReport report() {
            final List<VerificationReport.Proof> all = List.copyOf(proofs.values());
            return new VerificationReport(all, declined, failure, all.stream().mapToLong(VerificationReport.Proof::plans).sum(),
                all.stream().mapToLong(VerificationReport.Proof::tasks).sum(), Duration.ofNanos(System.nanoTime() - begin));
        }
    }
}
