package tutti.runtime.select;

import java.util.List;
import java.util.function.Consumer;

/**
 * Checks that all ranks are about to take the same step before they take it together. Without it, when a module fails on one rank, the
 * other ranks would wait in a step that this rank never enters.
 *
 * <p>The exchange of availability is a step that includes its check, so all checks exchange the same values.
 */
final class LockstepCheck {
    private static final int AVAILABILITY = 0;
    private static final int SPLIT = 1;
    private static final int ALLREDUCE = 2;
    private static final int KIND = 61;
    private static final int MODULE = 40;

    private final SelectionContext context;
    private final int modules;

    /** @param modules number of modules of the job, equal on all ranks */
    LockstepCheck(final SelectionContext context, final int modules) {
        this.context = context;
        this.modules = modules;
    }

    /** Returns whether every rank is about to make that split for that module, and names the same modules. Equal on all ranks. */
    boolean agreeOnSplit(final int module, final String name, final List<String> modules) {
        final AgreementHash hash = new AgreementHash().add(name);
        modules.forEach(hash::add);
        return agree(step(SPLIT, module, hash.value()));
    }

    /** Returns whether every rank is about to combine that many values for that module. Equal on all ranks. */
    boolean agreeOnAllreduce(final int module, final int values) {
        return agree(step(ALLREDUCE, module, values));
    }

    private boolean agree(final long step) {
        final ModuleAvailability none = new ModuleAvailability(modules, step);
        context.combine(none.values, ModuleAvailability.COMBINE);
        return none.isStep(step);
    }

    /**
     * Exchanges the availability of modules with all ranks. A rank that was about to take another step instead, for a module that failed on another
     * rank, is refused, and comes here next. Its module is refused once: there are at most as many tries as modules.
     *
     * @param round  number of exchanges before
     * @param report writes this rank's availability
     * @return the combined availability
     */
    ModuleAvailability exchange(final int round, final Consumer<ModuleAvailability> report) {
        final long step = step(AVAILABILITY, 0, round);
        while (true) {
            final ModuleAvailability availability = new ModuleAvailability(modules, step);
            report.accept(availability);
            context.combine(availability.values, ModuleAvailability.COMBINE);
            if (availability.isStep(step)) {
                return availability;
            }
        }
    }

    private static long step(final int kind, final int module, final long what) {
        return (long) kind << KIND | (long) module << MODULE | what & (1L << MODULE) - 1;
    }
}
