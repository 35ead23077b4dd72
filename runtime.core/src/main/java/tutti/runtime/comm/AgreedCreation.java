package tutti.runtime.comm;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommFaults;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.MpiFailure;

/**
 * The steps in which the ranks of a communicator create another one, of which each succeeds on all ranks that live or fails on all of them: after
 * each step the ranks agree on whether it has succeeded. In a job that ends with the first rank that it loses, the steps need no agreement.
 */
final class AgreedCreation {
    private AgreedCreation() {}

    /**
     * Takes a step that ends on all ranks, as that in which context ids are allotted.
     *
     * @param undo called when the step has failed on another rank, and not on this one
     */
    static void take(final Communicator parent, final Runnable step, final Runnable undo) {
        take(parent, () -> {
            step.run();
            return parent;
        }, p -> undo.run());
    }

    /**
     * Takes a step as {@link #take(Communicator, Runnable, Runnable)} does.
     *
     * @param undo called with the result of the step when it has failed on another rank, and not on this one
     * @return the result of the step
     */
    static <T> T take(final Communicator parent, final Supplier<T> step, final Consumer<T> undo) {
        if (!parent.owner().context().reportsLosses()) {
            return step.get();
        }
        T result = null;
        MpiFailure why = null;
        try {
            result = step.get();
        } catch (final MpiFailure e) {
            why = e;
        }
        if (verdict(parent, why == null ? 1 : 0).flag() == 0) {
            if (result != null) {
                undo.accept(result);
            }
            throw failure(parent, why);
        }
        return Objects.requireNonNull(result, "result of a step that has succeeded");
    }

    /**
     * Takes the step that makes a communicator usable.
     *
     * @param made the communicator; null for a rank that is not in one
     */
    static @Nullable Communicator open(final Communicator parent, final @Nullable Communicator made, final Consumer<Communicator> step) {
        if (!parent.owner().context().reportsLosses()) {
            if (made != null) {
                step.accept(made);
            }
            return made;
        }
        final MpiFailure why = made == null ? null : tryOpen(made, step);
        if (verdict(parent, why == null ? 1 : 0).flag() == 0) {
            if (made != null) {
                made.discard();
            }
            throw failure(parent, why);
        }
        return made;
    }

    /** Makes a communicator usable; returns why that has failed, of which the other ranks know then. Null if it has not. */
    static @Nullable MpiFailure tryOpen(final Communicator made, final Consumer<Communicator> step) {
        try {
            step.accept(made);
            return null;
        } catch (final MpiFailure e) {
            // others may wait for this rank
            made.context().faults().revoke();
            return e;
        }
    }

    /** Agrees on the steps that have succeeded, each a bit. */
    private static AgreementRequest verdict(final Communicator parent, final int flag) {
        final AgreementRequest verdict = AgreementRequest.startOfAny(parent.context(), CommFaults.CREATIONS, flag, PendingWait.Kind.CREATION);
        verdict.await();
        return verdict;
    }

    private static MpiFailure failure(final Communicator parent, final @Nullable MpiFailure own) {
        final MpiFailure revoked = parent.context().faults().revocation();
        if (own != null) {
            return own;
        }
        if (revoked != null) {
            return revoked.again();
        }
        // Cause: a rank has failed while a communicator was created. Remedy: `shrink` the communicator that it was created from, and try again.
        return MpiFailure.ofLoss("communicator was not created, since another rank could not take part: from=" + parent.name());
    }
}
