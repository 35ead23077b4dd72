package tutti.coll.tck;

import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Table;
import tutti.coll.Verdict;

/**
 * The ranks that plans are made for: two groups that an intercommunicator joins, or the one of an intracommunicator. Places number all ranks,
 * the second group's after the first's.
 *
 * @param first  ranks of the first group, from 1
 * @param second ranks of the second group; 0 when there is none
 * @param inside what serves the collectives within each group
 */
public record Groups(int first, int second, Table inside) {

    /** Refuses an empty first group. */
    public Groups {
        if (first < 1 || second < 0) {
            throw new IllegalArgumentException("groups out of range: first=" + first + ", second=" + second);
        }
    }

    /** Two groups. */
    public static Groups of(final int first, final int second, final CollModule inside) {
        return new Groups(first, second, SoloComm.tableOf(inside, new SoloComm(Math.max(first, second), false)));
    }

    static Groups one(final int size) {
        return new Groups(size, 0, Table.builder().build());
    }

    boolean isInter() {
        return second > 0;
    }

    int size() {
        return first + second;
    }

    /** The place of rank 0 of the group of {@code place}. */
    int base(final int place) {
        return place < first ? 0 : first;
    }

    int members(final int place) {
        return place < first ? first : second;
    }

    int rank(final int place) {
        return place - base(place);
    }

    /** The place of rank 0 of the group that {@code place} deals with. */
    int remoteBase(final int place) {
        return isInter() && place < first ? first : 0;
    }

    int remoteMembers(final int place) {
        return isInter() && place < first ? second : first;
    }

    /** What a module offers to the rank at {@code place}. */
    <C extends Call> Table.Entry<C> offer(final CollModule module, final Operation<C> operation, final int place) {
        final CollComm comm = new GroupComm(this, place);
        final Table table = switch (module.query(comm)) {
            case Verdict.Usable u -> initialised(u);
            case Verdict.Declined d -> throw new IllegalArgumentException("declined: " + d.reason());
        };
        final Table.Entry<C> entry = isInter() ? table.inter(operation) : table.intra(operation);
        if (entry == null) {
            throw new IllegalArgumentException("not offered: operation=" + operation);
        }
        return entry;
    }

    private static Table initialised(final Verdict.Usable usable) {
        try {
            return usable.instance().init();
        } catch (final Exception e) {
            throw new IllegalArgumentException("init failed: " + e, e);
        }
    }
}
