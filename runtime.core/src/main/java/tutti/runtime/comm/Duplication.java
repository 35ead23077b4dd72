package tutti.runtime.comm;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.LongStream;
import tutti.coll.CollComm;
import tutti.runtime.context.CommMembers;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.CallSignature.Creation;

/**
 * A duplication of a communicator in progress, at one of its ranks. The ranks agree on the context ids. Where the modules of the original serve
 * duplicates, that is all; else modules are selected. The original may be freed in the meantime: it is released when the duplicate is usable.
 */
final class Duplication {
    private final Communicator original;
    private final Communicator made;
    /** Number of the duplication in the order of the original's calls. */
    private final long step;
    private final boolean shares;
    private final long[] contexts;
    /** The context ids before the ranks combine them: those that this rank allotted, and numbers that are none. */
    private final long[] allotted;

    /** Begins the duplication: the ranks must exchange the context ids next. */
    Duplication(final Communicator original) {
        original.checkUsable();
        this.original = original;
        this.step = original.engine().beginDuplicate();
        this.shares = original.engine().servesDuplicates(step);
        final CommMembers members = original.context().members();
        final ContextIds own = original.owner().context().contexts();
        this.contexts = shares ? allot(members, own, 1 + original.engine().hiddenContexts(step)) : CommunicatorFactory.allotContexts(members, own);
        this.allotted = contexts.clone();
        this.made = shares ? original.duplicate() : original.derive(members, CollComm.Origin.DUPLICATE);
        made.engine().inherit(original.engine(), step);
        original.context().pending().hold();
    }

    /** Allots the context ids of a duplicate at its leader. */
    private static long[] allot(final CommMembers members, final ContextIds own, final int count) {
        final long[] offers = new long[count];
        Arrays.setAll(offers, i -> members.index() == 0 ? own.allot() : Long.MAX_VALUE);
        return offers;
    }

    /** Performs the duplication and returns the communicator. */
    Communicator run() {
        try {
            AgreedCreation.take(original, () -> await(agree(Creation.DUP)),
                () -> LongStream.of(allotted).forEach(made.owner().context().contexts()::free));
            return Objects.requireNonNull(AgreedCreation.open(original, made, c -> open()));
        } finally {
            end();
        }
    }

    /** Starts the duplication. */
    Communicator.Pending start() {
        final DupRequest request = new DupRequest(this, agree(comparesForms() ? Creation.I_DUP : Creation.DUP), made.owner().context().lifecycle());
        request.start("-idup");
        return new Communicator.Pending(made, request);
    }

    private boolean comparesForms() {
        return original.owner().context().checking() == CheckLevel.FULL;
    }

    private Request agree(final Creation creation) {
        return original.context().exchanges().start(contexts, Op.MIN, creation);
    }

    private void await(final Request agreement) {
        try {
            agreement.await();
        } catch (final MpiFailure e) {
            for (final long context : allotted) {
                made.owner().context().contexts().free(context);
            }
            throw e;
        }
    }

    /** Waits for the agreement and makes the communicator usable. */
    Communicator finish(final Request agreement) {
        try {
            await(agreement);
            return open();
        } finally {
            end();
        }
    }

    private Communicator open() {
        if (!shares) {
            return CommunicatorFactory.open(made, contexts);
        }
        CommunicatorFactory.check(contexts, made.owner().context().contexts());
        return made.openDuplicate(contexts);
    }

    private void end() {
        original.engine().endDuplicate(step);
        original.context().pending().release();
    }
}
