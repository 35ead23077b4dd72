package tutti.runtime.select;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollInstance;
import tutti.coll.Operation;
import tutti.coll.QueryResult;

/** A module on its way into, or out of, one communicator. */
final class Candidate {
    private static final Logger LOG = LoggerFactory.getLogger(Candidate.class);

    private final OfferedModule module;
    private final ModuleComm comm;
    private CollInstance instance;
    private AlgorithmTable table;
    private boolean ready;
    private int priority;
    private long operations;
    private String reason;

    Candidate(final OfferedModule module, final ModuleComm comm) {
        this.module = module;
        this.comm = comm;
    }

    OfferedModule module() {
        return module;
    }

    String name() {
        return module.id().name();
    }

    boolean isOut() {
        return reason != null;
    }

    /** Why it is out; null while it is not. */
    String reason() {
        return reason;
    }

    int priority() {
        return priority;
    }

    /** Whether it was set up. */
    boolean isReady() {
        return ready;
    }

    long takeBalance() {
        return comm.takeBalance();
    }

    /** Asks the module. */
    void query() {
        comm.open(true);
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
        } finally {
            comm.open(false);
        }
    }

    /** Sets the module up. */
    void init() {
        comm.open(true);
        try {
            offer(instance.init());
            ready = true;
        } catch (final Throwable e) {
            LOG.debug("init of module {} failed on {}", module, comm.name(), e);
            reason = "init failed: " + ModuleFailure.text(e);
        } finally {
            comm.open(false);
        }
    }

    private void offer(final AlgorithmTable offered) {
        if (offered == null) {
            throw new IllegalStateException("table is null");
        }
        table = offered;
        operations = 0;
        for (final Operation<?> o : Operation.values()) {
            if (!every(o).isEmpty()) {
                operations |= 1L << o.ordinal();
            }
        }
    }

    private <C extends Call> List<AlgorithmTable.Entry<C>> every(final Operation<C> o) {
        return comm.isInter() ? table.everyInter(o) : table.everyIntra(o);
    }

    /** Whether it offers an operation on all ranks. */
    boolean offers(final Operation<?> o) {
        return (operations >> o.ordinal() & 1) != 0;
    }

    /** What it offers for an operation, in its order, as far as all ranks have it from this module; maybe nothing. */
    <C extends Call> List<AlgorithmTable.Entry<C>> entries(final Operation<C> o) {
        return reason == null && offers(o) ? every(o) : List.of();
    }

    /** Of everything that it offers, as far as is known. */
    long hash() {
        long hash = 17;
        for (final Operation<?> o : Operation.values()) {
            for (final AlgorithmTable.Entry<?> e : entries(o)) {
                hash = 31 * hash + (o.id() + "=" + e.name() + e.order() + e.skipEmpty()).hashCode();
            }
        }
        return hash;
    }

    /** What this rank has to say. */
    void vote(final ModuleAvailability ballots, final int i, final long hash) {
        ballots.set(i, reason == null ? priority : ModuleAvailability.out(comm.voter()), operations, takeBalance(), hash);
    }

    /** What all ranks together say. */
    void accept(final ModuleAvailability ballots, final int i) {
        if (ballots.against(i) < 0) {
            priority = (int) ballots.standing(i);
            operations = ballots.operations(i);
        }
    }

    /** Removes it, for the reason that all ranks know. */
    void leave(final String why) {
        reason = why;
        dispose();
    }

    /** Lets go of what it was set up with. */
    void dispose() {
        if (ready) {
            ready = false;
            try {
                instance.dispose();
            } catch (final Throwable e) {
                LOG.debug("dispose of module {} failed on {}", module, comm.name(), e);
                LOG.warn("dispose of module {} failed on {}: {}", module, comm.name(), ModuleFailure.text(e));
            }
        }
        instance = null;
        table = null;
    }
}
