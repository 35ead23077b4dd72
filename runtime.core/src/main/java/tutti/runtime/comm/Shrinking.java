package tutti.runtime.comm;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.CollComm;
import tutti.runtime.context.CommMembers;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.fault.RankSet;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;

/**
 * Creates a communicator of the ranks of another one that live, whichever fail meanwhile.
 *
 * <p>The ranks agree on those that have failed. The others allot context ids, and agree on whether all have; then they make the communicator usable,
 * and agree on that. Where one could not, they begin again, without the ranks that have failed by then. A rank that fails after the last agreement is
 * a member of the communicator, which has then lost it.
 */
final class Shrinking {
    /** Flag of a step that has succeeded. */
    private static final int DONE = 1;
    /** Flag of a step that has succeeded, or failed because of a rank that is lost. */
    private static final int AGAIN = 2;
    /** Bits of the number of an attempt. */
    private static final int ATTEMPTS = 12;

    private final Communicator parent;
    /** The sequence of its agreements: other calls may make theirs meanwhile. */
    private final int sequence;
    /** The agreement on the ranks that have failed. */
    private final AgreementRequest first;
    private int attempts;

    /** Begins to shrink a communicator, together with all its ranks that live; does not wait. */
    Shrinking(final Communicator parent) {
        this.parent = parent;
        this.sequence = parent.context().faults().countSequence();
        this.first = agree(DONE);
    }

    private AgreementRequest agree(final int flag) {
        return AgreementRequest.startOfAny(parent.context(), sequence, flag, PendingWait.Kind.CREATION);
    }

    /** Returns the communicator of the ranks that live. */
    Communicator finish() {
        first.await();
        RankSet failed = first.failed();
        while (true) {
            final CommMembers members = survivors(failed);
            final Communicator made = parent.derive(members, CollComm.Origin.PART);
            final long[] contexts = CommunicatorFactory.allotContexts(members, parent.owner().context().contexts());
            final RankSet before = failed;
            MpiFailure why = allot(contexts, failed);
            AgreementRequest verdict = verdict(why, before);
            if (verdict.flag() == (DONE | AGAIN)) {
                why = AgreedCreation.tryOpen(made, c -> CommunicatorFactory.open(c, contexts));
                verdict = verdict(why, before);
                if (verdict.flag() == (DONE | AGAIN)) {
                    return made;
                }
                made.discard();
            }
            if ((verdict.flag() & AGAIN) == 0) {
                // Cause: a rank has another reason than a failed one, which its own error names. Remedy: look at the error of that rank.
                throw why != null && !isByLoss(why) ? why : new MpiFailure(ErrorClass.OTHER, "shrink failed on another rank: comm=" + parent.name());
            }
            failed = verdict.failed();
        }
    }

    /** Returns the members without the ranks that have failed, by their indices. */
    private CommMembers survivors(final RankSet failed) {
        final CommMembers old = parent.context().members();
        final Group all = parent.context().all();
        final Group lost = Group.of(Arrays.stream(failed.toArray()).map(all::worldRank).toArray());
        final Group local = old.local().difference(lost);
        final Group remote = old.remote() == null ? null : old.remote().difference(lost);
        if (remote != null && remote.size() == 0) {
            // Cause: all ranks of the other group have failed. Remedy: go on with the local communicator.
            throw MpiFailure.ofLoss("no rank of the remote group lives: comm=" + parent.name());
        }
        return new CommMembers(local, local.rankOf(parent.owner().worldRank()), remote, old.isFirst());
    }

    /** Allots the context ids; returns why that has failed on this rank, null if it has not. */
    private @Nullable MpiFailure allot(final long[] contexts, final RankSet failed) {
        final int[] alive = IntStream.range(0, parent.context().all().size()).filter(r -> !failed.contains(r)).toArray();
        final int index = Arrays.binarySearch(alive, parent.context().members().index());
        final long[] allotted = contexts.clone();
        try {
            parent.context().bootstrapOfSurvivors(alive, index).allreduce(contexts, Op.MIN, sequence << ATTEMPTS | attempts++, null).await();
            return null;
        } catch (final MpiFailure e) {
            final ContextIds own = parent.owner().context().contexts();
            Arrays.stream(allotted).forEach(own::free);
            return e;
        }
    }

    private AgreementRequest verdict(final @Nullable MpiFailure why, final RankSet known) {
        if (why != null && why.isOfLoss()) {
            // which rank it is will be told
            parent.context().owner().await(parent.context().faults().lossBeyond(known), PendingWait.Kind.CREATION, null);
        }
        final AgreementRequest verdict = agree(why == null ? DONE | AGAIN : isByLoss(why) ? AGAIN : 0);
        verdict.await();
        return verdict;
    }

    private static boolean isByLoss(final MpiFailure why) {
        return why.isOfLoss() || why.errorClass() == ErrorClass.REVOKED;
    }
}
