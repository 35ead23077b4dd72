package tutti.runtime.select;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollInstance;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.Checkpointable;
import tutti.runtime.registry.OfferedModule;

/** A module during the selection for one communicator: queried, initialised, then used or excluded. */
final class Candidate {
    private static final Logger LOG = LoggerFactory.getLogger(Candidate.class);
    /** Flag in the set of operations: the instance serves duplicates of the communicator, too. */
    private static final long DUPLICATES = Long.MIN_VALUE;
    private static final AlgorithmTable NOTHING = AlgorithmTable.builder().build();
    private static final CollInstance NONE = () -> NOTHING;

    private final OfferedModule module;
    private final ModuleComm comm;
    private final TunedTables tuned;
    /** What {@link #query} returned; an instance without algorithms before, and once the module is excluded or disposed. */
    private CollInstance instance = NONE;
    private AlgorithmTable table = NOTHING;
    private boolean ready;
    private int priority;
    private long operations;
    /** Why the module is excluded; null while it is not. */
    private @Nullable String reason;

    Candidate(final OfferedModule module, final ModuleComm comm, final TunedTables tuned) {
        this.module = module;
        this.comm = comm;
        this.tuned = tuned;
    }

    OfferedModule module() {
        return module;
    }

    String name() {
        return module.id().name();
    }

    boolean isExcluded() {
        return reason != null;
    }

    /** Returns why the module is excluded. Only for a module that {@linkplain #isExcluded is}. */
    String reason() {
        return Objects.requireNonNull(reason, "reason of an excluded module");
    }

    int priority() {
        return priority;
    }

    /** Returns whether the module was initialised. */
    boolean isReady() {
        return ready;
    }

    long takeBalance() {
        return comm.takeBalance();
    }

    /** Returns whether the module was excluded since it failed, rather than that it declined or was not wanted. Equal on all ranks. */
    boolean hasFailed() {
        return reason != null && (reason.startsWith("query failed") || reason.startsWith("query returned") || reason.startsWith("init "));
    }

    /** Queries the module. A failure excludes it. */
    void query() {
        comm.open(false);
        try {
            switch (module.module().query(comm)) {
                case null -> reason = "query returned null";
                case QueryResult.Declined d -> reason = "declined: " + d.reason();
                case QueryResult.Usable u -> {
                    instance = u.instance();
                    priority = u.priority();
                    offer(instance.table());
                }
            }
        } catch (final Throwable e) {
            LOG.debug("query of module {} failed on {}", module, comm.name(), e);
            reason = "query failed: " + ModuleFailure.text(e);
            comm.fail();
        } finally {
            comm.close();
        }
        if (reason == null) {
            tuned.make(instance);
        }
    }

    /** Initialises the module. A failure excludes it. */
    void init() {
        comm.open(true);
        try {
            final AlgorithmTable initialised = instance.init();
            ready = initialised != null;
            offer(initialised);
            if (instance.servesDuplicates() && comm.isFlat()) {
                operations |= DUPLICATES;
            }
        } catch (final Throwable e) {
            LOG.debug("init of module {} failed on {}", module, comm.name(), e);
            reason = "init failed: " + ModuleFailure.text(e);
            comm.fail();
        } finally {
            comm.close();
        }
        if (reason == null) {
            tuned.make(instance);
        }
    }

    private void offer(final AlgorithmTable newTable) {
        if (newTable == null) {
            throw new IllegalStateException("table is null");
        }
        table = newTable;
        operations = 0;
        for (final Operation<?> o : Operation.values()) {
            if (!allEntries(table, o).isEmpty()) {
                operations |= 1L << o.ordinal();
            }
        }
    }

    private <C extends Call> List<AlgorithmTable.Entry<C>> allEntries(final AlgorithmTable of, final Operation<C> o) {
        return comm.isInter() ? of.everyInter(o) : of.everyIntra(o);
    }

    /** Returns whether the module offers an operation on all ranks. */
    boolean offers(final Operation<?> o) {
        return (operations >> o.ordinal() & 1) != 0;
    }

    /** Returns whether the initialised module serves duplicates of the communicator on all ranks. */
    boolean servesDuplicates() {
        return (operations & DUPLICATES) != 0;
    }

    /** Returns whether a checkpoint can have the state of the initialised module: it saves it, or has none that belongs to the communicator. */
    boolean isCheckpointable() {
        return !ready || instance instanceof Checkpointable || instance.servesDuplicates();
    }

    /** Returns the instance if it has steps at checkpoints; null if it has none. */
    @Nullable
    Checkpointable checkpointable() {
        return ready && instance instanceof final Checkpointable steps ? steps : null;
    }

    /** Returns the algorithms that the module offers for an operation, in its order; empty unless all ranks offer the operation. */
    <C extends Call> List<AlgorithmTable.Entry<C>> entries(final Operation<C> o) {
        return reason == null && offers(o) ? allEntries(table, o) : List.of();
    }

    /** Returns the algorithms for an operation with other values of parameters; those of {@link #entries(Operation)} if there are no values. */
    <C extends Call> List<AlgorithmTable.Entry<C>> entries(final Operation<C> o, final SortedMap<String, String> values) {
        final AlgorithmTable found = values.isEmpty() ? table : tuned.of(values);
        return reason == null && found != null && offers(o) ? allEntries(found, o) : List.of();
    }

    /** Returns an algorithm with values of parameters that no rule need name; null when there is none. */
    <C extends Call> AlgorithmTable.@Nullable Entry<C> entry(final Operation<C> o, final String algorithm, final SortedMap<String, String> values) {
        final AlgorithmTable found = values.isEmpty() ? table : tuned.of(values, instance);
        return reason != null || found == null ? null
            : allEntries(found, o).stream().filter(e -> e.name().equals(algorithm)).findFirst().orElse(null);
    }

    /** Returns why the module has no algorithms with these values of parameters, as a predicate; null when it has some. */
    @Nullable
    String problem(final SortedMap<String, String> values) {
        return tuned.problem(values);
    }

    /** Returns a hash of all algorithms that the module offers, as far as this rank knows, or of the reason why it is excluded. */
    long hash() {
        final AgreementHash hash = new AgreementHash();
        if (reason != null) {
            return hash.add(reason).value();
        }
        add(hash, Collections.emptySortedMap());
        for (final SortedMap<String, String> values : tuned.values()) {
            add(hash.add(values.toString()), values);
        }
        return hash.value();
    }

    private void add(final AgreementHash hash, final SortedMap<String, String> values) {
        for (final Operation<?> o : Operation.values()) {
            for (final AlgorithmTable.Entry<?> e : entries(o, values)) {
                hash.add(o.id()).add(e.name()).add(e.order().name());
            }
        }
    }

    /** Writes this rank's entry for module {@code i}. */
    void report(final ModuleAvailability availability, final int i, final long hash, final long balance) {
        availability.set(i, reason == null ? priority : ModuleAvailability.exclusion(comm.index()), operations, balance, hash);
    }

    /** Takes over the combined entry of all ranks for module {@code i}. */
    void accept(final ModuleAvailability availability, final int i) {
        if (availability.excludedBy(i) < 0) {
            priority = (int) availability.status(i);
            operations = availability.operations(i);
        }
    }

    /** Excludes the module, for a reason that all ranks know. */
    void exclude(final String why) {
        reason = why;
        dispose();
    }

    /** Disposes the instance and releases its resources. */
    void dispose() {
        if (ready) {
            ready = false;
            try {
                instance.dispose();
            } catch (final Throwable e) {
                LOG.debug("dispose of module {} failed on {}", module, comm.name(), e);
                // Cause: a module threw an exception when a communicator was freed. Remedy: report it to the author of the module.
                LOG.warn("dispose of module {} failed on {}: {}", module, comm.name(), ModuleFailure.text(e));
            }
        }
        instance = NONE;
        table = NOTHING;
        tuned.clear();
    }
}
