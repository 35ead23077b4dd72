package tutti.coll.tck;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;

/**
 * A module that is set up on a virtual communicator, whose ranks are on given nodes. Query and set-up run on every rank, each on its own thread, so
 * that {@link tutti.coll.advanced.SetupComm#split}, {@code send} and {@code recv} work.
 *
 * <p>On the communicators that the set-up creates, the module itself serves. A fallback serves there what the module does not offer, or everything if
 * it declines. So plans with nested collectives can be checked too. The fallback stands for every other module: it serves first where a split names
 * modules, and {@link tutti.coll.advanced.SetupComm#algorithm} returns one of its algorithms, that of the name if there is one.
 *
 * <p>Whoever creates it closes it, after the last plan was made: that disposes the instances that were initialized. A set-up that fails disposes them
 * itself. Immutable otherwise; as safe for threads as the module's algorithms.
 */
public final class VirtualModule implements AutoCloseable {
    private static final long LIMIT_MS = 10_000;

    private final CommGroups groups;
    private final List<AlgorithmTable> tables;
    private final Optional<String> declined;
    private final InitializedInstances instances;

    private VirtualModule(final CommGroups groups, final ModuleSetup.Result result) {
        this.groups = groups;
        this.tables = result.tables();
        this.declined = result.declined();
        this.instances = result.instances();
    }

    /**
     * Sets a module up on an intracommunicator without parameters.
     *
     * @param module   the module
     * @param fallback the module that serves on sub-communicators what {@code module} does not
     * @param layout   the node of each rank
     * @throws IllegalStateException if query or set-up fails on a rank, or takes too long
     */
    public static VirtualModule of(final CollModule module, final CollModule fallback, final NodeLayout layout) {
        return of(module, fallback, layout, Map.of());
    }

    /**
     * Sets a module up on an intracommunicator.
     *
     * @param module     the module
     * @param fallback   the module that serves on sub-communicators what {@code module} does not
     * @param layout     the node of each rank
     * @param parameters of the job, dotted name to value
     * @throws IllegalStateException if query or set-up fails on a rank, or takes too long
     */
    public static VirtualModule of(final CollModule module, final CollModule fallback, final NodeLayout layout, final Map<String,
        String> parameters) {
        return of(module, fallback, CommGroups.intra(layout), parameters, LIMIT_MS);
    }

    /**
     * Sets a module up on an intercommunicator without parameters.
     *
     * @param module   the module
     * @param fallback the module that serves, within the groups and on sub-communicators, what {@code module} does not
     * @param first    number of ranks of the first group; the others are the second group
     * @param layout   the node of each rank, by index
     * @throws IllegalStateException if query or set-up fails on a rank, or takes too long
     */
    public static VirtualModule between(final CollModule module, final CollModule fallback, final int first, final NodeLayout layout) {
        return between(module, fallback, first, layout, Map.of());
    }

    /**
     * Sets a module up on an intercommunicator.
     *
     * @param module     the module
     * @param fallback   the module that serves, within the groups and on sub-communicators, what {@code module} does not
     * @param first      number of ranks of the first group; the others are the second group
     * @param layout     the node of each rank, by index
     * @param parameters of the job, dotted name to value
     * @throws IllegalStateException if query or set-up fails on a rank, or takes too long
     */
    public static VirtualModule between(final CollModule module, final CollModule fallback, final int first, final NodeLayout layout,
        final Map<String, String> parameters) {
        return of(module, fallback, interGroups(first, layout), parameters, LIMIT_MS);
    }

    static CommGroups interGroups(final int first, final NodeLayout layout) {
        return CommGroups.inter(first, layout.ranks() - first, layout);
    }

    static VirtualModule of(final CollModule module, final CollModule fallback, final CommGroups groups, final Map<String, String> parameters,
        final long millis) {
        return new VirtualModule(groups, ModuleSetup.run(groups, List.of(module, fallback), parameters, millis));
    }

    /** Returns the reason why the module declined; empty if it is usable. */
    public Optional<String> declined() {
        return declined;
    }

    /** Returns the number of ranks, of both groups together. */
    public int size() {
        return groups.size();
    }

    /** Returns the groups, for {@link CallCases#between}. */
    public CommGroups groups() {
        return groups;
    }

    /** Returns the names of the algorithms that the module offers on all ranks for an operation, in the module's order. */
    public List<String> offers(final Operation<?> operation) {
        final List<String> names = new ArrayList<>();
        for (int index = 0; index < tables.size(); index++) {
            final List<String> here = entries(operation, index).stream().map(AlgorithmTable.Entry::name).toList();
            if (index == 0) {
                names.addAll(here);
            } else {
                names.retainAll(here);
            }
        }
        return Collections.unmodifiableList(names);
    }

    private <C extends Call> List<AlgorithmTable.Entry<C>> entries(final Operation<C> operation, final int index) {
        return groups.isInter() ? tables.get(index).everyInter(operation) : tables.get(index).everyIntra(operation);
    }

    /**
     * Returns an algorithm as the module offers it to rank 0 of the first group.
     *
     * @param operation the operation
     * @param algorithm the name of the algorithm
     * @throws IllegalArgumentException if the module declined or does not offer the algorithm
     */
    public <C extends Call> AlgorithmTable.Entry<C> entry(final Operation<C> operation, final String algorithm) {
        return entry(operation, algorithm, 0);
    }

    <C extends Call> AlgorithmTable.Entry<C> entry(final Operation<C> operation, final String algorithm, final int index) {
        declined.ifPresent(reason -> {
            throw new IllegalArgumentException("declined: " + reason);
        });
        return entries(operation, index).stream().filter(e -> e.name().equals(algorithm)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("not offered: operation=" + operation + ", algorithm=" + algorithm));
    }

    <C extends Call> Algorithm<C> algorithm(final Operation<C> operation, final String algorithm, final int index) {
        return entry(operation, algorithm, index).algorithm();
    }

    /**
     * Disposes the instances of the modules. Idempotent.
     *
     * @throws IllegalStateException if the disposal of one failed; the others are disposed
     */
    @Override
    public void close() {
        instances.close();
    }

    @Override
    public String toString() {
        return (groups.isInter() ? "groups=" + groups + ", " : "") + "nodes=" + groups.comm(0).layout();
    }
}
