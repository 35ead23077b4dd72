package tutti.runtime.module;

import java.util.Objects;

/**
 * A module that new jobs and new communicators leave out, because a plan of it was proved wrong; or the fact that this was lifted.
 *
 * @param module the module
 * @param reason operation, arguments and what is wrong; empty when the quarantine was lifted
 * @param since  time of the last change, in milliseconds since 1970; of two records of a module the later one holds
 */
public record QuarantinedModule(ModuleId module, String reason, long since) {
    /** Checks that the values are present. */
    public QuarantinedModule {
        Objects.requireNonNull(module, "module");
        Objects.requireNonNull(reason, "reason");
    }

    /** Returns whether the module is left out. */
    public boolean isActive() {
        return !reason.isEmpty();
    }
}
