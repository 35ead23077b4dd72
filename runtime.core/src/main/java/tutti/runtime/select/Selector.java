package tutti.runtime.select;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollJob;
import tutti.coll.Operation;
import tutti.coll.Table;
import tutti.coll.ThreadRange;
import tutti.coll.Verdict;

/**
 * Asks modules and decides: highest priority first, then by name; an operation that a module leaves out is served by the next.
 *
 * <p>All that the decision depends on must be equal on all ranks of the communicator. Safe for any thread.
 */
public final class Selector {
    private static final Logger LOG = LoggerFactory.getLogger(Selector.class);

    private Selector() { }

    private record Candidate(OfferedModule module, int priority, CollInstance instance, Table table) { }

    /** The modules that take part in a job: those that support its thread level. */
    public static List<OfferedModule> forJob(final List<OfferedModule> offered, final CollJob job) {
        final List<OfferedModule> taking = new ArrayList<>();
        for (final OfferedModule m : offered) {
            try {
                final Optional<ThreadRange> range = m.module().threads(job);
                if (range.isPresent() && range.get().contains(job.threadLevel())) {
                    taking.add(m);
                }
            } catch (final RuntimeException | LinkageError e) {
                LOG.warn("module {} is left out: its thread query failed", m, e);
            }
        }
        return taking;
    }

    /** Decides for a new communicator. */
    public static Selection select(final List<OfferedModule> modules, final CollComm comm) {
        final List<Candidate> candidates = new ArrayList<>();
        for (final OfferedModule m : modules) {
            final Candidate c = query(m, comm);
            if (c != null) {
                candidates.add(c);
            }
        }
        candidates.sort(Comparator.comparingInt((Candidate c) -> -c.priority()).thenComparing(Candidate::module));
        final Selection.Chosen<?>[] chosen = new Selection.Chosen<?>[Operation.values().size()];
        final Set<CollInstance> used = new LinkedHashSet<>();
        for (final Candidate c : candidates) {
            for (final Operation<?> o : Operation.values()) {
                final Table.Entry<?> entry = comm.isInter() ? c.table().inter(o) : c.table().intra(o);
                if (entry != null && chosen[o.ordinal()] == null) {
                    chosen[o.ordinal()] = new Selection.Chosen<>(c.module(), entry);
                    used.add(c.instance());
                }
            }
        }
        return new Selection(chosen, List.copyOf(used));
    }

    private static Candidate query(final OfferedModule m, final CollComm comm) {
        try {
            return switch (m.module().query(comm)) {
                case Verdict.Usable u -> new Candidate(m, u.priority(), u.instance(), u.instance().init());
                case Verdict.Declined d -> {
                    LOG.debug("module {} declines {}: {}", m, comm.name(), d.reason());
                    yield null;
                }
            };
        } catch (final Exception | LinkageError e) {
            LOG.warn("module {} is left out of {}: its query failed", m, comm.name(), e);
            return null;
        }
    }
}
