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
 * Proves without running anything that an algorithm does what its operation demands.
 *
 * <p>It plans every rank and shows, in this order: planning breaks no rule of {@link tutti.coll.Plan} and reserves no more scratch memory than
 * 64 MiB and four times the data of all ranks; every send has its receive, of the same
 * length, and every await its post; no two tasks race and none writes the send buffer, nor does a task that reads a peer's memory race with
 * what the peer does there; everything completes even where no send completes before its receive
 * has started; every byte of the receive buffers is in the end what MPI demands, the order of operands and the bits of replicated
 * results included; and after a barrier every rank has heard from every rank.
 *
 * <p>Stateless; safe for any thread.
 */
public final class PlanChecker {
    /** Scratch memory that a plan may have whatever its call, and how many times what all ranks of the call send and receive. */
    private static final long SPARE = 64 << 20;
    private static final long SHARE = 4;

    private PlanChecker() { }

    /**
     * Checks one call.
     *
     * @param calls what each rank calls; as many as there are ranks
     * @return why it is wrong; empty when it is right
     */
    public static <C extends Call> Optional<CounterExample> check(final Operation<C> operation, final String name,
                                                                  final Algorithm<C> algorithm, final List<C> calls) {
        final AlgorithmTable.Entry<C> entry = new AlgorithmTable.Entry<>(name, algorithm, ReductionOrder.RANKS, false);
        return check(operation, entry, p -> algorithm, CommGroups.one(calls.size()), calls);
    }

    private static <C extends Call> Optional<CounterExample> check(final Operation<C> operation, final AlgorithmTable.Entry<C> entry,
                                                                   final IntFunction<Algorithm<C>> algorithms, final CommGroups groups,
                                                                   final List<C> calls) {
        return look(operation, entry, algorithms, groups, calls, Integer.MAX_VALUE).flaw()
            .map(f -> counterExample(operation, entry.name(), calls, f));
    }

    static CounterExample counterExample(final Operation<?> operation, final String name, final List<? extends Call> calls, final CheckFailure flaw) {
        return new CounterExample(operation, name, calls.size(), flaw.rank(), flaw.task(), flaw.peer(), calls.get(flaw.rank()), flaw.what());
    }

    /**
     * Checks what a module offers for an operation on intercommunicators.
     *
     * @param settings lists of calls, one per place, {@link CallCases} for one
     * @throws AssertionError with the first counter-example, in which ranks are places
     */
    public static <C extends Call> void prove(final Operation<C> operation, final CollModule module, final CommGroups groups,
                                              final Iterable<List<C>> settings) {
        final List<AlgorithmTable.Entry<C>> offers = IntStream.range(0, groups.size()).mapToObj(p -> groups.offer(module, operation, p)).toList();
        for (final List<C> calls : settings) {
            check(operation, offers.getFirst(), p -> offers.get(p).algorithm(), groups, calls).ifPresent(c -> {
                throw new AssertionError(c + ", groups=" + groups);
            });
        }
    }

    /**
     * Checks what a module offers for an operation.
     *
     * @param settings lists of calls, one per rank, {@link CallCases} for one
     * @throws AssertionError with the first counter-example
     */
    public static <C extends Call> void prove(final Operation<C> operation, final AlgorithmTable.Entry<C> entry, final Iterable<List<C>> settings) {
        for (final List<C> calls : settings) {
            check(operation, entry, p -> entry.algorithm(), CommGroups.one(calls.size()), calls).ifPresent(c -> {
                throw new AssertionError(c.toString());
            });
        }
    }

    /**
     * Checks one call of an algorithm that was set up on given nodes.
     *
     * @param calls what each rank calls, by place
     * @return why it is wrong; empty when it is right
     */
    public static <C extends Call> Optional<CounterExample> check(final Operation<C> operation, final VirtualModule ensemble, final String algorithm,
                                                                  final List<C> calls) {
        return check(operation, ensemble.entry(operation, algorithm), p -> ensemble.algorithm(operation, algorithm, p), ensemble.groups(), calls);
    }

    /**
     * Checks an algorithm that was set up on given nodes.
     *
     * @param settings lists of calls, one per place, {@link CallCases} for one
     * @throws AssertionError with the first counter-example, in which ranks are places
     */
    public static <C extends Call> void prove(final Operation<C> operation, final VirtualModule ensemble, final String algorithm,
                                              final Iterable<List<C>> settings) {
        for (final List<C> calls : settings) {
            check(operation, ensemble, algorithm, calls).ifPresent(c -> {
                throw new AssertionError(c + ", " + ensemble);
            });
        }
    }

    /**
     * What was found out about one call.
     *
     * @param plans looked at
     * @param tasks in them
     */
    record Finding(int plans, long tasks, Optional<CheckFailure> flaw) { }

    static <C extends Call> Finding look(final Operation<C> operation, final VirtualModule ensemble, final String algorithm, final List<C> calls,
                                         final int mostTasks) {
        final AlgorithmTable.Entry<C> entry = ensemble.entry(operation, algorithm);
        return look(operation, entry, p -> ensemble.algorithm(operation, algorithm, p), ensemble.groups(), calls, mostTasks);
    }

    private static <C extends Call> Finding look(final Operation<C> operation, final AlgorithmTable.Entry<C> entry,
        final IntFunction<Algorithm<C>> algorithms,
                                                 final CommGroups groups, final List<C> calls, final int mostTasks) {
        if (!calls.stream().allMatch(c -> entry.order().serves(c.reduction()))) {
            return new Finding(0, 0, Optional.empty());
        }
        final List<RecordedTasks> plans = new ArrayList<>();
        final long mostScratch = SPARE + SHARE * IntStream.range(0, calls.size()).mapToLong(p -> bytes(calls.get(p), groups, p)).sum();
        long tasks = 0;
        for (int place = 0; place < calls.size(); place++) {
            final RecordingPlan plan = new RecordingPlan(groups.side(place), groups.rank(place), calls.get(place));
            plan.tape().limit(mostTasks, mostScratch);
            try {
                algorithms.apply(place).plan(calls.get(place), plan);
            } catch (final RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
                return new Finding(place, tasks, Optional.of(new CheckFailure(place, plan.tasks().size(), -1, "planning failed: " + e)));
            }
            plans.add(plan.tape());
            tasks += plan.tasks().size();
        }
        return new Finding(plans.size(), tasks, wronglySkipped(entry, groups, calls)
            .or(() -> findFlaw(plans, new CallContract(operation, calls, groups, entry.order()), groups)));
    }

    private static long bytes(final Call call, final CommGroups groups, final int place) {
        return call.sendBytes(groups.rank(place), groups.isInter()) + call.recvBytes(groups.rank(place), groups.isInter());
    }

    /** The runtime decides by what one rank knows whether a call is skipped, so no other rank may wait for it. */
    private static <C extends Call> Optional<CheckFailure> wronglySkipped(final AlgorithmTable.Entry<C> entry, final CommGroups groups,
        final List<C> calls) {
        final List<Integer> empty = IntStream.range(0, calls.size()).filter(p -> isEmpty(calls.get(p), groups.rank(p), groups.isInter()))
            .boxed().toList();
        return !entry.skipEmpty() || groups.isInter() || empty.isEmpty() || empty.size() == calls.size() ? Optional.empty()
            : Optional.of(new CheckFailure(empty.getFirst(), -1, -1, "may be skipped as empty, though other ranks have data"));
    }

    /** Whether a rank has no data at all in a call. */
    private static boolean isEmpty(final Call call, final int rank, final boolean inter) {
        return call.sendBytes(rank, inter) + call.recvBytes(rank, inter) == 0;
    }

    /** The plans of all ranks. */
    static <C extends Call> List<RecordedTasks> plans(final CommGroups groups, final IntFunction<Algorithm<C>> algorithms, final List<C> calls) {
        final List<RecordedTasks> plans = new ArrayList<>();
        for (int place = 0; place < calls.size(); place++) {
            final RecordingPlan plan = new RecordingPlan(groups.side(place), groups.rank(place), calls.get(place));
            algorithms.apply(place).plan(calls.get(place), plan);
            plans.add(plan.tape());
        }
        return plans;
    }

    /** Looks for what is wrong with the plans of all ranks. */
    static Optional<CheckFailure> findFlaw(final List<RecordedTasks> plans, final CallContract contract, final CommGroups groups) {
        final TaskMatching matching = new TaskMatching(plans);
        if (!matching.flaws().isEmpty()) {
            return Optional.of(matching.flaws().getFirst());
        }
        for (final RecordedTasks plan : plans) {
            final Optional<CheckFailure> race = PlanRaces.find(plan);
            if (race.isPresent()) {
                return race;
            }
        }
        final Term.Pool terms = new Term.Pool();
        final RendezvousExecution run = new RendezvousExecution(plans, matching, contract, terms);
        return SharedMemoryRaces.find(plans, matching).or(run::run).or(() -> wrongResult(run, contract, terms, groups));
    }

    private static Optional<CheckFailure> wrongResult(final RendezvousExecution run, final CallContract contract, final Term.Pool terms,
        final CommGroups groups) {
        for (int place = 0; place < groups.size(); place++) {
            final int silent = firstSilent(run.heardBy(place), groups, place);
            if (contract.synchronises() && silent >= 0) {
                return Optional.of(new CheckFailure(place, -1, silent, "may be done before the peer has begun"));
            }
            final Optional<CheckFailure> wrong = wrongMemory(place, run, contract, terms);
            if (wrong.isPresent()) {
                return wrong;
            }
            final List<SymbolicMemory.Piece> there = everything(run.recvOf(groups.base(place)));
            if (contract.isReplicated() && !everything(run.recvOf(place)).equals(there)) {
                return Optional.of(new CheckFailure(place, -1, groups.base(place), "bits may differ: here=" + everything(run.recvOf(place))
                    + ", there=" + there));
            }
        }
        return Optional.empty();
    }

    /** The first of those that a rank deals with which it has not heard of; -1 for none. */
    private static int firstSilent(final BitSet heard, final CommGroups groups, final int place) {
        final int silent = heard.nextClearBit(groups.remoteBase(place));
        return silent < groups.remoteBase(place) + groups.remoteMembers(place) ? silent : -1;
    }

    /** Compares what is wanted, then replaces it by what lay there before: then all must be as before. */
    private static Optional<CheckFailure> wrongMemory(final int rank, final RendezvousExecution run, final CallContract contract,
        final Term.Pool terms) {
        final SymbolicMemory memory = run.recvOf(rank);
        final SymbolicMemory before = contract.recvBefore(rank, terms);
        for (final CallContract.Expected want : contract.after(rank)) {
            final long offset = want.where().offset();
            final List<SymbolicMemory.Piece> found = memory.read(offset, want.where().bytes());
            for (final SymbolicMemory.Piece p : found) {
                final boolean right = want.first() < 0 || contract.isMet(want, p.term())
                    && p.position() == want.position() + p.offset() - offset;
                if (!right) {
                    return Optional.of(run.blame(rank, Buffer.RECV.at(p.offset(), p.bytes()),
                        "wrong result: want=ranks " + want.first() + " to " + want.last() + " from byte "
                        + (want.position() + p.offset() - offset) + " at " + Buffer.RECV.at(p.offset(), p.bytes()) + ", found=" + p.term()
                        + " from byte " + p.position()));
                }
            }
            before.write(offset, found, offset);
        }
        if (!everything(memory).equals(everything(before))) {
            return Optional.of(run.blame(rank, firstDifference(everything(before), everything(memory)),
                "writes where no result belongs: want=" + everything(before) + ", found=" + everything(memory)));
        }
        return Optional.empty();
    }

    private static BufferRange firstDifference(final List<SymbolicMemory.Piece> want, final List<SymbolicMemory.Piece> found) {
        final SymbolicMemory.Piece odd = found.stream().filter(p -> !want.contains(p)).findFirst().orElse(found.getFirst());
        return Buffer.RECV.at(odd.offset(), odd.bytes());
    }

    private static List<SymbolicMemory.Piece> everything(final SymbolicMemory memory) {
        return memory.read(0, Long.MAX_VALUE);
    }
}
