package tutti.coll.tck;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;

/**
 * A model checker for plans: proves that an algorithm meets the contract of its operation, without running it.
 *
 * <p>It plans a call on every rank and checks, in this order:
 * <ol>
 * <li>Planning breaks no rule of {@link tutti.coll.Plan}. It reserves at most 64 MiB and four times the data of all ranks as scratch memory.</li>
 * <li>Every send has a receive of the same length, and every await has its post.</li>
 * <li>No read of a peer's memory races with the peer's tasks. Tasks of one rank cannot race, since the memory that they access orders them.</li>
 * <li>All tasks complete even if no send completes before its receive has started.</li>
 * <li>After a barrier every rank knows that every rank has started.</li>
 * <li>Every byte of the receive buffers is what MPI demands, with the order of operands that the operation and the algorithm demand. The results of
 * an allreduce have the same bits on all ranks.</li>
 * </ol>
 * <p>Execution is symbolic: terms stand for the contributions and for the results of reductions, so a proof holds for all data. It holds only for the
 * number of ranks, counts and roots of the calls that were checked, see {@link CallCases}.
 *
 * <p>Stateless; safe for any thread.
 */
public final class PlanChecker {
    /** The scratch memory that a plan may reserve for any call. It may add {@link #SCRATCH_FACTOR} times the data of all ranks. */
    private static final long SCRATCH_ALLOWANCE = 64 << 20;
    private static final long SCRATCH_FACTOR = 4;

    private PlanChecker() {}

    /**
     * Checks one call of an algorithm that keeps the order of ranks, all ranks on one node.
     *
     * @param operation the operation
     * @param name      the name of the algorithm, for the counter-example
     * @param algorithm the algorithm
     * @param calls     the call of each rank; its length is the number of ranks
     * @return the counter-example; empty if the algorithm is correct for this call
     */
    public static <C extends Call> Optional<CounterExample> check(final Operation<C> operation, final String name,
        final Algorithm<C> algorithm, final List<C> calls) {
        final AlgorithmTable.Entry<C> entry = new AlgorithmTable.Entry<>(name, algorithm, ReductionOrder.RANKS, List.of());
        return check(operation, entry, p -> algorithm, CommGroups.intra(calls.size()), calls);
    }

    private static <C extends Call> Optional<CounterExample> check(final Operation<C> operation, final AlgorithmTable.Entry<C> entry,
        final IntFunction<Algorithm<C>> algorithms, final CommGroups groups,
        final List<C> calls) {
        return examine(operation, entry, algorithms, groups, calls, Integer.MAX_VALUE).failure()
            .map(f -> counterExample(operation, entry.name(), calls, f));
    }

    static CounterExample counterExample(final Operation<?> operation, final String name, final List<? extends Call> calls,
        final CheckFailure failure) {
        return new CounterExample(operation, name, calls.size(), failure.rank(), failure.task(), failure.peer(),
            calls.get(failure.rank()), failure.reason());
    }

    /**
     * Proves the algorithm that a module offers first for an operation on intercommunicators.
     *
     * @param operation the operation
     * @param module    the module
     * @param groups    the groups
     * @param cases     the calls of all ranks for each case, by index, for instance of {@link CallCases#between}
     * @throws AssertionError with the first counter-example, which gives ranks by index
     * @throws IllegalArgumentException if the module declines or does not offer the operation
     */
    public static <C extends Call> void prove(final Operation<C> operation, final CollModule module, final CommGroups groups,
        final Iterable<List<C>> cases) {
        try (InitializedInstances instances = new InitializedInstances()) {
            final List<AlgorithmTable.Entry<C>> offers = groups.entries(module, operation, instances);
            for (final List<C> calls : cases) {
                check(operation, offers.getFirst(), p -> offers.get(p).algorithm(), groups, calls).ifPresent(c -> {
                    throw new AssertionError(c + ", groups=" + groups);
                });
            }
        }
    }

    /**
     * Proves an algorithm for an operation, all ranks on one node. The result must have the reduction order that the entry declares. Calls that this
     * order does not serve are skipped.
     *
     * @param operation the operation
     * @param entry     the algorithm, with the properties that its module declares
     * @param cases     the calls of all ranks for each case, for instance of {@link CallCases#of}
     * @throws AssertionError with the first counter-example
     */
    public static <C extends Call> void prove(final Operation<C> operation, final AlgorithmTable.Entry<C> entry, final Iterable<List<C>> cases) {
        for (final List<C> calls : cases) {
            check(operation, entry, p -> entry.algorithm(), CommGroups.intra(calls.size()), calls).ifPresent(c -> {
                throw new AssertionError(c.toString());
            });
        }
    }

    /**
     * Checks one call of an algorithm of a module that was set up on given nodes.
     *
     * @param operation the operation
     * @param module    the module
     * @param algorithm the name of the algorithm
     * @param calls     the call of each rank, by index
     * @return the counter-example; empty if the algorithm is correct for this call
     * @throws IllegalArgumentException if the algorithm is not offered
     */
    public static <C extends Call> Optional<CounterExample> check(final Operation<C> operation, final VirtualModule module, final String algorithm,
        final List<C> calls) {
        return check(operation, module.entry(operation, algorithm), p -> module.algorithm(operation, algorithm, p), module.groups(), calls);
    }

    /**
     * Checks one call of an algorithm of a module that was set up on given nodes, where an algorithm that fails to plan it is no error: it may refuse
     * arguments.
     *
     * @param operation the operation
     * @param module    the module
     * @param algorithm the name of the algorithm
     * @param calls     the call of each rank, by index
     * @param maxTasks  limit of the number of tasks in a plan
     * @return the counter-example; empty if the algorithm is correct for this call, or does not plan it on some rank
     * @throws IllegalArgumentException if the algorithm is not offered
     */
    public static <C extends Call> Optional<CounterExample> checkPlanned(final Operation<C> operation, final VirtualModule module,
        final String algorithm, final List<C> calls, final int maxTasks) {
        final CheckResult result = examine(operation, module, algorithm, calls, maxTasks);
        return result.plans() < calls.size() ? Optional.empty()
            : result.failure().map(f -> counterExample(operation, algorithm, calls, f));
    }

    /**
     * Proves an algorithm of a module that was set up on given nodes. Calls that the algorithm's reduction order does not serve are skipped.
     *
     * @param operation the operation
     * @param module    the module
     * @param algorithm the name of the algorithm
     * @param cases     the calls of all ranks for each case, by index, for instance of {@link CallCases#of}
     * @throws AssertionError with the first counter-example, which gives ranks by index
     * @throws IllegalArgumentException if the algorithm is not offered
     */
    public static <C extends Call> void prove(final Operation<C> operation, final VirtualModule module, final String algorithm,
        final Iterable<List<C>> cases) {
        for (final List<C> calls : cases) {
            check(operation, module, algorithm, calls).ifPresent(c -> {
                throw new AssertionError(c + ", " + module);
            });
        }
    }

    /**
     * The result of checking one call.
     *
     * @param plans number of plans checked
     * @param tasks number of tasks in them
     * @param failure  the failure; empty if there is none
     */
    record CheckResult(int plans, long tasks, Optional<CheckFailure> failure) {}

    static <C extends Call> CheckResult examine(final Operation<C> operation, final VirtualModule module, final String algorithm, final List<C> calls,
        final int mostTasks) {
        final AlgorithmTable.Entry<C> entry = module.entry(operation, algorithm);
        return examine(operation, entry, p -> module.algorithm(operation, algorithm, p), module.groups(), calls, mostTasks);
    }

    private static <C extends Call> CheckResult examine(final Operation<C> operation, final AlgorithmTable.Entry<C> entry,
        final IntFunction<Algorithm<C>> algorithms,
        final CommGroups groups, final List<C> calls, final int mostTasks) {
        if (!calls.stream().allMatch(c -> entry.order().serves(c.reduction()))) {
            return new CheckResult(0, 0, Optional.empty());
        }
        final List<RecordedTasks> plans = new ArrayList<>();
        final long mostScratch = SCRATCH_ALLOWANCE
            + SCRATCH_FACTOR * IntStream.range(0, calls.size()).mapToLong(p -> bytes(calls.get(p), groups, p)).sum();
        long tasks = 0;
        for (int index = 0; index < calls.size(); index++) {
            final RecordingPlan plan = new RecordingPlan(groups.comm(index), groups.rank(index), calls.get(index));
            plan.recorded().limit(mostTasks, mostScratch);
            try {
                plan(algorithms.apply(index), calls.get(index), plan);
            } catch (final RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
                return new CheckResult(index, tasks, Optional.of(new CheckFailure(index, plan.tasks().size(), -1, "planning failed: " + e)));
            }
            plans.add(plan.recorded());
            tasks += plan.tasks().size();
        }
        return new CheckResult(plans.size(), tasks, findFailure(plans, new CallContract(operation, calls, groups, entry.order()), groups));
    }

    /** Plans a call as the runtime does: not on ranks that take no part. */
    private static <C extends Call> void plan(final Algorithm<C> algorithm, final C call, final RecordingPlan plan) {
        if (!call.isUninvolved()) {
            algorithm.plan(call, plan);
        }
    }

    private static long bytes(final Call call, final CommGroups groups, final int index) {
        return call.sendBytes(groups.rank(index), groups.isInter()) + call.recvBytes(groups.rank(index), groups.isInter());
    }

    /** Returns the plans of all ranks. */
    static <C extends Call> List<RecordedTasks> plans(final CommGroups groups, final IntFunction<Algorithm<C>> algorithms, final List<C> calls) {
        final List<RecordedTasks> plans = new ArrayList<>();
        for (int index = 0; index < calls.size(); index++) {
            final RecordingPlan plan = new RecordingPlan(groups.comm(index), groups.rank(index), calls.get(index));
            plan(algorithms.apply(index), calls.get(index), plan);
            plans.add(plan.recorded());
        }
        return plans;
    }

    /** Checks the plans of all ranks. Returns the first failure. */
    static Optional<CheckFailure> findFailure(final List<RecordedTasks> plans, final CallContract contract, final CommGroups groups) {
        final TaskMatching matching = new TaskMatching(plans);
        if (!matching.failures().isEmpty()) {
            return Optional.of(matching.failures().getFirst());
        }
        final Term.Pool terms = new Term.Pool();
        final RendezvousExecution run = new RendezvousExecution(plans, matching, contract, terms);
        return SharedMemoryRaces.find(plans, matching).or(run::run).or(() -> wrongResult(run, contract, terms, groups));
    }

    private static Optional<CheckFailure> wrongResult(final RendezvousExecution run, final CallContract contract, final Term.Pool terms,
        final CommGroups groups) {
        for (int index = 0; index < groups.size(); index++) {
            final int unknown = firstUnknown(run.begunBefore(index), groups, index);
            if (contract.synchronises() && unknown >= 0) {
                return Optional.of(new CheckFailure(index, -1, unknown, "may be done before the peer has begun"));
            }
            final Optional<CheckFailure> wrong = wrongMemory(index, run, contract, terms);
            if (wrong.isPresent()) {
                return wrong;
            }
            final List<SymbolicMemory.TermRange> there = contents(run.recvOf(groups.base(index)));
            if (contract.isReplicated() && !contents(run.recvOf(index)).equals(there)) {
                return Optional.of(new CheckFailure(index, -1, groups.base(index), "bits may differ: here=" + contents(run.recvOf(index))
                    + ", there=" + there));
            }
        }
        return Optional.empty();
    }

    /** Returns the first rank of the remote group that is not known to have started; -1 if there is none. */
    private static int firstUnknown(final BitSet heard, final CommGroups groups, final int index) {
        final int unknown = heard.nextClearBit(groups.remoteBase(index));
        return unknown < groups.remoteBase(index) + groups.remoteMembers(index) ? unknown : -1;
    }

    /**
     * Compares the receive buffer of a rank with the expected result. Then writes the results found to a copy of the initial buffer, which must be
     * equal to the final one.
     */
    private static Optional<CheckFailure> wrongMemory(final int rank, final RendezvousExecution run, final CallContract contract,
        final Term.Pool terms) {
        final SymbolicMemory memory = run.recvOf(rank);
        final SymbolicMemory before = contract.recvBefore(rank, terms);
        for (final CallContract.Expected want : contract.after(rank)) {
            final long offset = want.range().offset();
            final List<SymbolicMemory.TermRange> found = memory.read(offset, want.range().bytes());
            for (final SymbolicMemory.TermRange p : found) {
                final boolean right = want.first() < 0 || contract.isMet(want, p.term())
                    && p.position() == want.position() + p.offset() - offset;
                if (!right) {
                    return Optional.of(run.failureAt(rank, Buffer.RECV.at(p.offset(), p.bytes()),
                        "wrong result: want=ranks " + want.first() + " to " + want.last() + " from byte "
                            + (want.position() + p.offset() - offset) + " at " + Buffer.RECV.at(p.offset(), p.bytes()) + ", found=" + p.term()
                            + " from byte " + p.position() + p.term().origin()));
                }
            }
            before.write(offset, found, offset);
        }
        if (!contents(memory).equals(contents(before))) {
            return Optional.of(run.failureAt(rank, firstDifference(contents(before), contents(memory)),
                "writes where no result belongs: want=" + contents(before) + ", found=" + contents(memory)));
        }
        return Optional.empty();
    }

    private static BufferRange firstDifference(final List<SymbolicMemory.TermRange> want, final List<SymbolicMemory.TermRange> found) {
        final SymbolicMemory.TermRange odd = found.stream().filter(p -> !want.contains(p)).findFirst().orElse(found.getFirst());
        return Buffer.RECV.at(odd.offset(), odd.bytes());
    }

    private static List<SymbolicMemory.TermRange> contents(final SymbolicMemory memory) {
        return memory.read(0, Long.MAX_VALUE);
    }
}
