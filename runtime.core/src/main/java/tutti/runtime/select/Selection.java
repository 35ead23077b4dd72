package tutti.runtime.select;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.Checkpointable;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.registry.OfferedModule;

/**
 * The selection for one communicator and its duplicates: which algorithm serves which calls, and why.
 *
 * <p><b>Threads.</b> Immutable except for the number of communicators that use it; the thread that releases it for the last one disposes the modules.
 */
public final class Selection {

    /**
     * The algorithm that was selected for a call.
     *
     * @param module     the module
     * @param entry      the algorithm's entry in the module's table
     * @param parameters values of parameters that a rule or the user names for the algorithm, in place of those of the job
     * @param <C>        the type of the operation's calls
     */
    public record SelectedAlgorithm<C extends Call>(OfferedModule module, AlgorithmTable.Entry<C> entry, SortedMap<String, String> parameters) {
        /** Returns the algorithm's name, followed by these parameters as in a rule. */
        public String name() {
            return AlgorithmRef.named(entry.name(), parameters);
        }

        /** Returns whether this is the same algorithm of the same module with the same values of parameters as another one. */
        public boolean isSame(final SelectedAlgorithm<?> other) {
            return module.id().equals(other.module.id()) && entry.name().equals(other.entry.name()) && parameters.equals(other.parameters);
        }

        /** Returns the reference by which a rule names it. */
        public AlgorithmRef ref() {
            return new AlgorithmRef(module.id().name(), entry.name(), parameters);
        }

        @Override
        public String toString() {
            return "module " + module + ", algorithm " + name();
        }
    }

    private final List<Decision<?>> decisions;
    private final List<Candidate> ready;
    private final List<Candidate> all;
    private final List<Candidate> order;
    private final SelectionPolicy policy;
    private final List<ExcludedModule> leftOut;
    private final JobModules modules;
    private final AtomicInteger users = new AtomicInteger(1);

    Selection(final List<Decision<?>> decisions, final List<Candidate> order, final List<Candidate> all, final SelectionPolicy policy,
        final List<ExcludedModule> leftOut, final JobModules modules) {
        this.modules = modules;
        modules.retain();
        this.decisions = List.copyOf(decisions);
        this.ready = all.stream().filter(Candidate::isReady).toList();
        this.all = List.copyOf(all);
        this.order = List.copyOf(order);
        this.policy = policy;
        this.leftOut = leftOut;
    }

    /** Returns the decision for an operation. */
    @SuppressWarnings("unchecked")
    public <C extends Call> Decision<C> of(final Operation<C> operation) {
        return (Decision<C>) decisions.get(operation.ordinal());
    }

    /**
     * Returns an algorithm with other values of parameters; null when its module has no such algorithm on this rank. Not at the same time for two
     * communicators that share the selection.
     */
    public <C extends Call> @Nullable SelectedAlgorithm<C> with(final Operation<C> operation, final SelectedAlgorithm<C> algorithm,
        final SortedMap<String, String> values) {
        final AlgorithmTable.Entry<C> entry = order.stream().filter(c -> c.module() == algorithm.module()).findFirst()
            .map(c -> c.entry(operation, algorithm.entry().name(), values)).orElse(null);
        return entry == null ? null : new SelectedAlgorithm<>(algorithm.module(), entry, values);
    }

    /**
     * Returns the sets of values of parameters with which tuning tries an algorithm; null when it has no more parameters.
     *
     * @param index number of the parameter that these values vary, from 0
     * @param bytes bytes of the calls
     */
    public @Nullable List<SortedMap<String, String>> variants(final SelectedAlgorithm<?> of, final int index, final long bytes) {
        return policy.variants(of, index, bytes);
    }

    /** Returns the priority of a module that is used on the communicator; 0 for others. */
    public int priorityOf(final ModuleId module) {
        return order.stream().filter(c -> c.module().id().equals(module)).mapToInt(Candidate::priority).findFirst().orElse(0);
    }

    /** Explains the decision for every operation, choices included, in the order of {@link Operation#values()}. */
    public List<Explanation> explanations() {
        final List<Explanation> explanations = new ArrayList<>();
        Operation.values().forEach(o -> explanations.add(new SelectionExplainer<>(of(o), policy, order).explain(all, leftOut)));
        return explanations;
    }

    /**
     * Explains the decision for calls of one operation and size; the explanation has no choices.
     *
     * @param bytes the bytes of the call as defined by {@link MessageBytes}; ignored where they are unknown
     */
    public Explanation explain(final Operation<?> operation, final long bytes) {
        return new SelectionExplainer<>(of(operation), policy, order).explain(bytes, all, leftOut, List.of());
    }

    /** Returns the modules of the job that it was made of. */
    public JobModules modules() {
        return modules;
    }

    /** Returns why one of these modules failed when it was set up; null if none did. Equal on all ranks. */
    public @Nullable String setupFailure(final Set<ModuleId> of) {
        return all.stream().filter(c -> of.contains(c.module().id()) && c.hasFailed()).map(c -> "module " + c.module() + ": " + c.reason())
            .findFirst()
            .orElse(null);
    }

    /** Returns why none of these modules serves calls, where none of them is used; null if one is. Equal on all ranks, but for words. */
    public @Nullable String unused(final Set<ModuleId> of) {
        return order.stream().anyMatch(c -> of.contains(c.module().id())) ? null
            : all.stream().filter(c -> of.contains(c.module().id()))
                .map(c -> "module " + c.module() + ": " + (c.isExcluded() ? c.reason() : "has no algorithm"))
                .findFirst().orElse("the job leaves it out");
    }

    /** Returns the hints with which the selection was made. */
    public CommHints hints() {
        return policy.hints();
    }

    /** Returns what is wrong with a hint that names an algorithm, and what is allowed; null when all can be met or others rule them out. */
    public @Nullable String hintProblem() {
        final List<String> known = Stream.concat(all.stream().map(Candidate::name), leftOut.stream().map(m -> m.module().split(" ")[0])).distinct()
            .sorted().toList();
        return Operation.values().stream().map(o -> policy.hintProblem(o, order, known)).filter(Objects::nonNull).findFirst().orElse(null);
    }

    /** Returns whether the modules that were initialised serve duplicates of the communicator, too. Equal on all ranks. */
    public boolean servesDuplicates() {
        return !ready.isEmpty() && ready.stream().allMatch(Candidate::servesDuplicates);
    }

    /** Returns the modules that have state on the communicator which they do not save at checkpoints. */
    public List<ModuleId> notCheckpointable() {
        return ready.stream().filter(c -> !c.isCheckpointable()).map(c -> c.module().id()).toList();
    }

    /** Carries out a step of a checkpoint in all modules that have one, in an order that is equal on all ranks. */
    public void checkpoint(final Consumer<Checkpointable> step) {
        ready.stream().map(Candidate::checkpointable).filter(Objects::nonNull).forEach(step);
    }

    /** Counts one more communicator that uses this selection, and returns it. */
    public Selection share() {
        users.incrementAndGet();
        return this;
    }

    /** Disposes the modules when the last communicator that uses them is freed. Called once for each. */
    public void release() {
        if (users.decrementAndGet() == 0) {
            ready.forEach(Candidate::dispose);
            modules.release();
        }
    }
}
