package tutti.runtime.host;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.job.JobSpec;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.CanaryTerms;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.registry.Lease;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.select.CanaryTrial;
import tutti.runtime.select.JobModules;
import tutti.runtime.select.LiveModules;

/**
 * The modules that this node has leased for a job: those with which it began, and those of changes while it runs.
 *
 * <p><b>Threads.</b> Safe for any thread. The lock of this object guards the lease: nothing is released while a change is being agreed on.
 */
final class HostedModules {
    private final JobSpec spec;
    private final Lease lease;
    private final Runnable released;
    private List<OfferedModule> leased = List.of();
    private @Nullable LiveModules live;
    /** Set while modules are leased for a change that is neither accepted nor abandoned. */
    private boolean isChanging;
    private boolean isClosed;

    /**
     * Creates the modules of a job that has not begun.
     *
     * @param released called when the ranks do not use some of them any more; must not block
     */
    HostedModules(final JobSpec spec, final Lease lease, final Runnable released) {
        this.spec = spec;
        this.lease = lease;
        this.released = released;
    }

    /** Returns the catalogue of the modules that were leased before the job began. */
    Catalogue catalogue() {
        return lease.catalogue();
    }

    /** Keeps the modules with which the job begins. */
    synchronized LiveModules begin(final AgreedModules agreement) throws IOException {
        leased = lease.keep(agreement.keptOn(spec.self()), agreement.modules());
        final LiveModules first = new LiveModules(new JobModules(spec.id(), spec.worldSize(), agreement, leased), released);
        live = first;
        return first;
    }

    /** Returns the service objects of all leased modules. */
    synchronized List<OfferedModule> leased() {
        return leased;
    }

    /** Leases also the modules that the node offers now; returns their catalogue. */
    synchronized Catalogue lease() {
        check();
        isChanging = true;
        return lease.extend();
    }

    /** Accepts the modules of a change. */
    synchronized void agree(final int change, final AgreedModules agreement) throws IOException {
        final LiveModules to = check();
        final List<ModuleId> kept = agreement.keptOn(spec.self());
        leased = lease.keep(Stream.concat(to.kept().stream(), kept.stream()).distinct().toList(), agreement.modules());
        to.accept(modules(to.newest(), change, agreement, leased.stream().filter(m -> kept.contains(m.id())).toList()));
        isChanging = false;
    }

    private static JobModules modules(final JobModules before, final int change, final AgreedModules agreement, final List<OfferedModule> kept) {
        final CanaryTerms canary = agreement.canary();
        if (canary == null || agreement.notTried() != null) {
            return before.changed(agreement, kept, change, null);
        }
        final JobModules candidate = before.changed(agreement.candidate(), kept, change, null);
        return before.changed(agreement, kept, change, new CanaryTrial(candidate, canary.share(), canary.budget(), CanaryTrial.DEFAULT_CALLS));
    }

    private LiveModules check() {
        final LiveModules current = live;
        if (current == null || isClosed) {
            throw new IllegalStateException("job " + spec.id() + " does not run here: its modules cannot be changed");
        }
        return current;
    }

    /** Releases what was leased for a change that not all nodes have accepted. */
    void abandon(final int change) {
        final LiveModules current;
        synchronized (this) {
            isChanging = false;
            current = live;
        }
        if (current != null) {
            current.abandon(change);
        }
    }

    /** Returns the modules that the ranks use, or may use. */
    synchronized List<ModuleId> used() {
        return live == null ? List.of() : live.kept();
    }

    /** Releases the modules that the ranks do not use, unless a change is being agreed on, after which that is done; returns those that are left. */
    synchronized List<ModuleId> trim() {
        if (!isChanging && !isClosed) {
            try {
                leased = lease.keep(used(), List.of());
            } catch (final IOException e) {
                throw new IllegalStateException("modules in use are leased", e);
            }
        }
        return leased.stream().map(OfferedModule::id).toList();
    }

    /** Releases all modules. Idempotent. */
    synchronized void close() {
        isClosed = true;
        lease.close();
    }
}
