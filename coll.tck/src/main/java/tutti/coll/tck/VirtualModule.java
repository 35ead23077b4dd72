package tutti.coll.tck;

import java.util.ArrayList;
import java.util.Arrays;
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
 * A module on a communicator whose ranks are on given nodes: asked and set up on every rank, each on a thread of its own, so that
 * {@link tutti.coll.CollComm#split}, {@code send} and {@code recv} work. On the communicators that are made in this way the module itself
 * serves where it does not decline, and what it leaves out, or where it declines, a fallback; so plans that nest collectives can be looked at.
 *
 * <p>Immutable once made; safe for any thread as far as the module's algorithms are.
 */
public final class VirtualModule {
    private static final long LIMIT_MS = 10_000;

    private final CommGroups groups;
    private final List<AlgorithmTable> tables;
    private final String declined;

    private VirtualModule(final CommGroups groups, final ModuleSetup.Result result) {
        this.groups = groups;
        this.tables = result.tables();
        this.declined = result.reason();
    }

    /**
     * Sets a module up on an intracommunicator.
     *
     * @param fallback serves on sub-communicators what the module does not
     * @throws IllegalStateException when that fails on some rank
     */
    public static VirtualModule of(final CollModule module, final CollModule fallback, final NodeLayout layout) {
        return of(module, fallback, layout, Map.of());
    }

    /**
     * Sets a module up on an intracommunicator.
     *
     * @param fallback   serves on sub-communicators what the module does not
     * @param parameters of the job, dotted name to value
     * @throws IllegalStateException when that fails on some rank
     */
    public static VirtualModule of(final CollModule module, final CollModule fallback, final NodeLayout layout, final Map<String,
        String> parameters) {
        return of(module, fallback, CommGroups.one(layout.toArray()), parameters, LIMIT_MS);
    }

    /**
     * Sets a module up on an intercommunicator.
     *
     * @param fallback serves within the groups, and on sub-communicators, what the module does not
     * @param first    ranks of the first group; the others are the second
     * @throws IllegalStateException when that fails on some rank
     */
    public static VirtualModule between(final CollModule module, final CollModule fallback, final int first, final NodeLayout layout) {
        return of(module, fallback, inner(first, layout), Map.of(), LIMIT_MS);
    }

    static CommGroups inner(final int first, final NodeLayout layout) {
        final CommGroups groups = CommGroups.between(first, layout.ranks() - first, layout.toArray());
        groups.side(0).makeLocal();
        groups.side(first).makeLocal();
        return groups;
    }

    static VirtualModule of(final CollModule module, final CollModule fallback, final CommGroups groups, final Map<String, String> parameters,
                            final long millis) {
        return new VirtualModule(groups, ModuleSetup.run(groups, List.of(module, fallback), parameters, millis));
    }

    /** Why the module cannot serve here; empty when it can. */
    public Optional<String> declined() {
        return Optional.ofNullable(declined);
    }

    /** Ranks, of both groups together. */
    public int size() {
        return groups.size();
    }

    /** The groups, for {@link CallCases#between}. */
    public CommGroups groups() {
        return groups;
    }

    /** The names of the algorithms that the module offers for an operation on all ranks, in the order of choice. */
    public List<String> offers(final Operation<?> operation) {
        final List<String> names = new ArrayList<>();
        for (int place = 0; place < tables.size(); place++) {
            final List<String> here = entries(operation, place).stream().map(AlgorithmTable.Entry::name).toList();
            if (place == 0) {
                names.addAll(here);
            } else {
                names.retainAll(here);
            }
        }
        return Collections.unmodifiableList(names);
    }

    private <C extends Call> List<AlgorithmTable.Entry<C>> entries(final Operation<C> operation, final int place) {
        return groups.isInter() ? tables.get(place).everyInter(operation) : tables.get(place).everyIntra(operation);
    }

    /**
     * What a rank of the first group is offered.
     *
     * @throws IllegalArgumentException when that is not offered
     */
    public <C extends Call> AlgorithmTable.Entry<C> entry(final Operation<C> operation, final String algorithm) {
        return entry(operation, algorithm, 0);
    }

    <C extends Call> AlgorithmTable.Entry<C> entry(final Operation<C> operation, final String algorithm, final int place) {
        if (declined != null) {
            throw new IllegalArgumentException("declined: " + declined);
        }
        return entries(operation, place).stream().filter(e -> e.name().equals(algorithm)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("not offered: operation=" + operation + ", algorithm=" + algorithm));
    }

    <C extends Call> Algorithm<C> algorithm(final Operation<C> operation, final String algorithm, final int place) {
        return entry(operation, algorithm, place).algorithm();
    }

    @Override
    public String toString() {
        return (groups.isInter() ? "groups=" + groups + ", " : "") + "nodes=" + Arrays.toString(groups.side(0).nodes());
    }
}
