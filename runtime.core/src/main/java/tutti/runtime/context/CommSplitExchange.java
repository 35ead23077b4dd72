package tutti.runtime.context;

import java.util.Arrays;
import java.util.stream.IntStream;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.schedule.CallSignature;

/**
 * Exchanges what all ranks ask for when they split a communicator: a colour and key each, and context ids for the communicator that each rank
 * may lead. Context ids that are not used are released at once.
 */
public final class CommSplitExchange {
    private static final int FIELDS = 5;

    private final CommContext comm;
    private final long color;
    private final int firstLocal;
    private final long[] all;
    private final int[] local;
    private final int[] remote;

    /**
     * Performs the exchange, together with all ranks.
     *
     * @param exchanges the sequence that it is a part of
     * @param color from 0, or negative to be in no communicator
     * @param mark  must be equal within a colour of a group
     * @param creation the call, which is the same on all ranks
     */
    public CommSplitExchange(final CommContext comm, final CommExchanges exchanges, final int color, final int key, final int mark,
        final CallSignature.Creation creation) {
        final ContextIds contexts = comm.owner().contexts();
        final int base = comm.members().index() * FIELDS;
        this.comm = comm;
        this.color = Math.max(-1, color) + 1L;
        this.firstLocal = comm.members().firstLocal();
        this.all = new long[comm.all().size() * FIELDS];
        all[base] = this.color;
        all[base + 1] = key;
        all[base + 2] = mark;
        all[base + 3] = color < 0 ? ContextIds.NONE : contexts.allot();
        all[base + 4] = color < 0 || !comm.isInter() ? ContextIds.NONE : contexts.allot();
        final long shared = all[base + 3];
        final long own = all[base + 4];
        exchange(exchanges, shared, own, creation);
        this.local = color < 0 ? new int[0] : sameColor(firstLocal, comm.size());
        this.remote = color < 0 || !comm.isInter() ? new int[0] : sameColor(firstLocal == 0 ? comm.size() : 0, comm.remoteSize());
        boolean isUsed = false;
        try {
            check();
            isUsed = color >= 0 && !isLocalOnly();
        } finally {
            if (!isUsed || context() != shared) {
                contexts.free(shared);
            }
            if (!isUsed || localContext() != own) {
                contexts.free(own);
            }
        }
    }

    private void exchange(final CommExchanges exchanges, final long shared, final long own, final CallSignature.Creation creation) {
        try {
            exchanges.combine(all, Op.SUM, creation);
        } catch (final MpiFailure e) {
            comm.owner().contexts().free(shared);
            comm.owner().contexts().free(own);
            throw e;
        }
    }

    /** Returns the ranks of this rank's colour as indices among all ranks, sorted by key and then by index. */
    private int[] sameColor(final int from, final int count) {
        final long[] order = new long[count];
        int n = 0;
        for (int r = from; r < from + count; r++) {
            if (all[r * FIELDS] == color) {
                order[n++] = all[r * FIELDS + 1] << 32 | r;
            }
        }
        Arrays.sort(order, 0, n);
        return Arrays.stream(order, 0, n).mapToInt(o -> (int) o).toArray();
    }

    private void check() {
        for (final int r : local) {
            if (all[r * FIELDS + 2] != all[local[0] * FIELDS + 2]) {
                // Cause: the groups that `create` got are neither equal nor disjoint. Remedy: the same group on all its ranks.
                throw new MpiFailure(ErrorClass.GROUP, "ranks gave groups that overlap and are not the same: ranks=" + (local[0] - firstLocal)
                    + ", " + (r - firstLocal) + ", comm=" + comm.name());
            }
        }
        if (local.length > 0 && !isLocalOnly()) {
            ContextIds.check(context());
            if (comm.isInter()) {
                ContextIds.check(localContext());
                ContextIds.check(all[remote[0] * FIELDS + 4]);
            }
        }
    }

    /** Releases the context ids that this rank has allotted, as they are not used. */
    public void free(final ContextIds contexts) {
        if (color > 0 && !isLocalOnly()) {
            contexts.free(context());
            contexts.free(localContext());
        }
    }

    /** Returns whether all ranks that have a colour have the same. */
    public boolean hasOneColor() {
        return IntStream.range(0, all.length / FIELDS).mapToLong(r -> all[r * FIELDS]).filter(c -> c > 0).distinct().count() <= 1;
    }

    /** Returns whether only one group of an intercommunicator has this rank's colour. */
    public boolean isLocalOnly() {
        return comm.isInter() && remote.length == 0;
    }

    /** Returns the context id of the new communicator. */
    public long context() {
        final int leader = remote.length > 0 && !comm.members().isFirst() ? remote[0] : local[0];
        return all[leader * FIELDS + 3];
    }

    /** Returns the context id of the hidden communicator of the new local group. */
    public long localContext() {
        return all[local[0] * FIELDS + 4];
    }

    /** Returns the ranks of the new local group in order, as ranks of the parent. */
    public int[] local() {
        return Arrays.stream(local).map(r -> r - firstLocal).toArray();
    }

    /** Returns the members of the new communicator. */
    public CommMembers members() {
        final Group localGroup = comm.all().incl(local);
        final Group remoteGroup = comm.isInter() ? comm.all().incl(remote) : null;
        return new CommMembers(localGroup, localGroup.rankOf(comm.owner().worldRank()), remoteGroup, comm.members().isFirst());
    }
}
