package tutti.runtime.comm;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.CollComm;
import tutti.coll.Level;
import tutti.runtime.context.CommMembers;
import tutti.runtime.context.CommSplitExchange;
import tutti.runtime.context.ContextIds;
import tutti.runtime.context.JobEnvironment;
import tutti.runtime.datatype.Op;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.locality.RankLevels;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.schedule.CallSignature.Creation;

/** Creates communicators from an existing one, together with the other ranks. */
final class CommunicatorFactory {
    private CommunicatorFactory() {}

    /**
     * Allots the context ids that this rank provides for a communicator with the given members: its own, and those of both groups of an
     * intercommunicator.
     */
    static long[] allotContexts(final CommMembers members, final ContextIds contexts) {
        final long[] offers = new long[members.isInter() ? 3 : 1];
        Arrays.fill(offers, Long.MAX_VALUE);
        if (members.index() == 0) {
            offers[0] = contexts.allot();
        }
        if (members.isInter() && members.rank() == 0) {
            offers[members.isFirst() ? 1 : 2] = contexts.allot();
        }
        return offers;
    }

    /** Makes a communicator usable with the context ids that all its ranks have received. */
    static Communicator open(final Communicator made, final long[] contexts) {
        check(contexts, made.owner().context().contexts());
        return made.open(contexts[0], made.isInter() ? contexts[made.context().members().isFirst() ? 1 : 2] : ContextIds.NONE);
    }

    /** Refuses context ids of which some rank had none left, and releases those that this rank allotted. */
    static void check(final long[] contexts, final ContextIds own) {
        try {
            for (final long context : contexts) {
                ContextIds.check(context);
            }
        } catch (final MpiFailure e) {
            for (final long context : contexts) {
                own.free(context);
            }
            throw e;
        }
    }

    static @Nullable Communicator split(final Communicator parent, final int color, final int key) {
        parent.checkUsable();
        if (color < 0 && color != Group.UNDEFINED) {
            // Cause: `split` takes colours from 0 on. Remedy: 0 or more, or `MPI.UNDEFINED` for a rank without a communicator.
            throw new MpiFailure(ErrorClass.ARG, "colour is negative and not UNDEFINED: color=" + color);
        }
        return split(parent, color, key, 0, Creation.SPLIT);
    }

    /** Splits by node: a node is named by its first rank, since nodes of other jobs have different numbers on each node. */
    static @Nullable Communicator splitByNode(final Communicator parent, final int key) {
        parent.checkUsable();
        final JobEnvironment job = parent.owner().context().job();
        final Group all = parent.context().all();
        int first = 0;
        while (!isOfSameNode(job, all.worldRank(first), parent.owner().worldRank())) {
            first++;
        }
        return split(parent, first, key, 0, Creation.SPLIT);
    }

    /** Splits by the domains of a level, which are named by their first ranks. */
    static @Nullable Communicator splitByLevel(final Communicator parent, final String level, final int key) {
        parent.checkUsable();
        final JobEnvironment job = parent.owner().context().job();
        final Group all = parent.context().all();
        final Object domain = domain(job, parent.owner().worldRank(), level);
        int first = 0;
        while (domain != null && !domain.equals(domain(job, all.worldRank(first), level))) {
            first++;
        }
        return split(parent, domain == null ? Group.UNDEFINED : first, key, 0, Creation.SPLIT);
    }

    private static @Nullable Object domain(final JobEnvironment job, final int rank, final String level) {
        return level.equals(Level.JVM) ? (Object) job.nodeOf(rank) : job.placeOf(rank).domain(level);
    }

    /** Returns the levels of a communicator. */
    static List<Level> levels(final Communicator of) {
        final JobEnvironment job = of.owner().context().job();
        final Group all = of.context().all();
        return new RankLevels(all.size(), r -> job.placeOf(all.worldRank(r)), r -> job.nodeOf(all.worldRank(r))).levels();
    }

    /** Returns whether ranks run on the same node, be it in different JVMs. A node of another job may be in another cluster, with the same name. */
    private static boolean isOfSameNode(final JobEnvironment job, final int a, final int b) {
        return job.nodeOf(a) == job.nodeOf(b)
            || NodeAddress.isJvm(job.nodeName(a)) && NodeAddress.nodeOf(job.nodeName(a)).equals(NodeAddress.nodeOf(job.nodeName(b)));
    }

    private static @Nullable Communicator split(final Communicator parent, final int color, final int key, final int mark,
        final Creation creation) {
        final CommSplitExchange exchange = AgreedCreation.take(parent,
            () -> new CommSplitExchange(parent.context(), parent.context().exchanges(), color, key, mark, creation),
            e -> e.free(parent.owner().context().contexts()));
        return AgreedCreation.open(parent, color < 0 || exchange.isLocalOnly() ? null : parent.derive(exchange.members(), CollComm.Origin.PART),
            made -> made.open(exchange.context(), parent.isInter() ? exchange.localContext() : ContextIds.NONE));
    }

    static @Nullable Communicator create(final Communicator parent, final Group group) {
        parent.checkUsable();
        checkWithin(parent, group);
        final int rank = group.rankOf(parent.owner().worldRank());
        // groups that do not overlap have different leaders
        final int color = rank == Group.UNDEFINED ? Group.UNDEFINED : parent.isInter() ? 0 : parent.group().rankOf(group.worldRank(0));
        return split(parent, color, rank, Arrays.hashCode(Arrays.stream(group.worldRanks()).map(parent.group()::rankOf).toArray()), Creation.CREATE);
    }

    static @Nullable Communicator createGroup(final Communicator parent, final Group group, final int tag) {
        parent.checkUsable();
        parent.context().checkIntra();
        checkWithin(parent, group);
        checkTag(tag);
        final CommMembers members = CommMembers.of(group, parent.owner().worldRank());
        if (members.rank() == Group.UNDEFINED) {
            return null;
        }
        final long[] contexts = allotContexts(members, parent.owner().context().contexts());
        final int[] ranks = Arrays.stream(group.worldRanks()).map(parent.group()::rankOf).toArray();
        parent.context().bootstrapOf(ranks, members.rank()).allreduce(contexts, Op.MIN, tag, null).await();
        return open(parent.derive(members, CollComm.Origin.PART), contexts);
    }

    static Communicator merge(final Communicator parent, final boolean high) {
        parent.checkUsable();
        if (!parent.isInter()) {
            // Cause: the call is for two groups. Remedy: an intercommunicator.
            throw new MpiFailure(ErrorClass.COMM, "not an intercommunicator: comm=" + parent.name());
        }
        final CommMembers old = parent.context().members();
        final Group first = old.isFirst() ? old.local() : old.peers();
        final Group second = old.isFirst() ? old.peers() : old.local();
        final ContextIds contexts = parent.owner().context().contexts();
        final long allotted = old.rank() == 0 ? contexts.allot() : 0;
        final long[] votes = new long[4];
        votes[old.isFirst() ? 0 : 1] = high ? 1 : 0;
        votes[old.isFirst() ? 2 : 3] = allotted;
        boolean isUsed = false;
        try {
            AgreedCreation.take(parent, () -> {
                parent.context().combine(votes, Op.SUM, Creation.MERGE);
                checkUniform(votes[0], first);
                checkUniform(votes[1], second);
            }, () -> {
                // released below
            });
            final boolean isSecondFirst = votes[0] > 0 && votes[1] == 0;
            final long context = votes[isSecondFirst ? 3 : 2];
            ContextIds.check(context);
            isUsed = context == allotted;
            final Group merged = isSecondFirst ? second.union(first) : first.union(second);
            final CommMembers members = CommMembers.of(merged, parent.owner().worldRank());
            final Communicator made = parent.join(members);
            return Objects.requireNonNull(AgreedCreation.open(parent, made, c -> c.open(context, ContextIds.NONE)));
        } finally {
            if (old.rank() == 0 && !isUsed) {
                contexts.free(allotted);
            }
        }
    }

    private static void checkUniform(final long high, final Group group) {
        if (high != 0 && high != group.size()) {
            // Cause: `merge` got different values from ranks of one group. Remedy: the same value on all ranks of a group.
            throw new MpiFailure(ErrorClass.ARG, "ranks of one group differ in whether it is high: high=" + high + ", size=" + group.size());
        }
    }

    static void checkTag(final int tag) {
        if (tag < 0) {
            // Cause: tags are not negative. Remedy: another tag; a receive may have `MPI.ANY_TAG`.
            throw new MpiFailure(ErrorClass.TAG, "tag out of range: tag=" + tag + ", range=0.." + Reserved.TAG_UB);
        }
    }

    private static void checkWithin(final Communicator parent, final Group group) {
        if (group == null) {
            throw new MpiFailure(ErrorClass.GROUP, "group is null");
        }
        final Group missing = group.difference(parent.group());
        if (missing.size() > 0) {
            // Cause: `create` makes a communicator of ranks of this one. Remedy: a group of its ranks.
            throw new MpiFailure(ErrorClass.GROUP, "rank of the group is not in the communicator: rank of COMM_WORLD=" + missing.worldRank(0)
                + ", comm=" + parent.name());
        }
    }
}
