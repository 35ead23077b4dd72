package tutti.runtime.comm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tutti.coll.CollComm;
import tutti.runtime.context.CommMembers;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.dpm.GroupMeeting;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.schedule.CallSignature.Creation;

/**
 * Creates a communicator in which spare ranks have the places of those that have failed in another one, whichever fail meanwhile.
 *
 * <pre>{@code
 * the ranks that live shrink the communicator -> they allot a context id -> each asks the job for spare ranks
 *   -> the spare ranks start, and all make the communicator usable -> all agree on whether they have
 * }</pre>
 *
 * <p>Where a step has failed because of a rank, it begins again without that rank. A spare rank takes one place, and ends if the communicator is not
 * created.
 */
final class Replacing {
    /** Flag of a rank on which the step has succeeded. */
    private static final int DONE = 1;
    /** Flag of a rank on which it has succeeded, or failed because of a rank that is lost. */
    private static final int AGAIN = 2;

    /** Numbers of the ranks that have, or had last, the places. */
    private final int[] holders;

    private Replacing(final int[] holders) {
        this.holders = holders;
    }

    /** Replaces the ranks of an intracommunicator that have failed, together with all its ranks that live. */
    static Communicator replace(final Communicator parent) {
        final Replacing replacing = new Replacing(parent.group().worldRanks().clone());
        Communicator alive = new Shrinking(parent).finish();
        while (alive.size() < replacing.holders.length) {
            final Communicator made;
            try {
                made = replacing.attempt(alive);
            } catch (final MpiFailure e) {
                alive.discard();
                throw e;
            }
            if (made != null) {
                alive.free();
                return made;
            }
            final Communicator fewer = new Shrinking(alive).finish();
            alive.discard();
            alive = fewer;
        }
        return alive;
    }

    /** Returns the communicator; null when a rank has failed meanwhile. */
    private @Nullable Communicator attempt(final Communicator alive) {
        final long[] context = {Long.MAX_VALUE};
        final ContextIds own = alive.owner().context().contexts();
        if (alive.rank() == 0) {
            context[0] = own.allot();
        }
        final long allotted = context[0];
        try {
            AgreedCreation.take(alive, () -> alive.context().combine(context, Op.MIN, Creation.REPLACE), () -> {
                // released below
            });
        } catch (final MpiFailure e) {
            own.free(allotted);
            if (isByLoss(e)) {
                return null;
            }
            throw e;
        }
        CommunicatorFactory.check(context, own);
        final List<Integer> failed = new ArrayList<>(Arrays.stream(holders).boxed().toList());
        Arrays.stream(alive.group().worldRanks()).forEach(r -> failed.remove((Integer) r));
        final ReplacementRequest request = new ReplacementRequest(context[0], Arrays.stream(holders).boxed().toList(), failed);
        final List<Integer> members;
        try {
            final CompletableFuture<List<Integer>> asked = alive.owner().connections().services().replace(request).toCompletableFuture();
            final List<Integer> taken = GroupMeeting.await(alive.owner().context(), asked, PendingWait.Kind.SPAWN, null, ErrorClass.SPAWN,
                "failed ranks were not replaced: comm=" + alive.name());
            members = request.with(taken);
        } catch (final MpiFailure e) {
            own.free(allotted);
            throw e;
        }
        Arrays.setAll(holders, members::get);
        final Communicator made = alive.derive(CommMembers.of(Group.of(holders), alive.owner().worldRank()), CollComm.Origin.PART);
        final MpiFailure why = AgreedCreation.tryOpen(made, c -> c.open(context[0], ContextIds.NONE));
        final int verdict = verdict(made, why);
        if (verdict == (DONE | AGAIN)) {
            return made;
        }
        made.discard();
        if ((verdict & AGAIN) == 0) {
            // Cause: a rank has another reason than a failed one, which its own error names. Remedy: look at the error of that rank.
            throw why != null && !isByLoss(why) ? why : new MpiFailure(ErrorClass.OTHER, "replace failed on another rank: comm=" + alive.name());
        }
        return null;
    }

    /**
     * Makes COMM_WORLD usable on a spare rank that takes a place in it, together with all its ranks.
     *
     * @throws MpiFailure when that has failed on any rank
     */
    static void join(final Communicator world) {
        final MpiFailure why = AgreedCreation.tryOpen(world, c -> c.engine().select());
        if (verdict(world, why) != (DONE | AGAIN)) {
            // Cause: another rank has failed while this one took its place. Remedy: none: the ranks that live try again with another spare rank.
            throw why != null ? why : MpiFailure.ofLoss("the communicator was not created in which rank " + world.owner().worldRank()
                + " takes the place of a failed one");
        }
    }

    /** Agrees on whether the communicator was made usable, together with all its ranks. */
    private static int verdict(final Communicator made, final @Nullable MpiFailure why) {
        final AgreementRequest verdict = AgreementRequest.startOfAny(made.context(), made.context().faults().countSequence(),
            why == null ? DONE | AGAIN : isByLoss(why) ? AGAIN : 0, PendingWait.Kind.CREATION);
        verdict.await();
        return verdict.flag();
    }

    private static boolean isByLoss(final MpiFailure why) {
        return why.isOfLoss() || why.errorClass() == ErrorClass.REVOKED;
    }
}
