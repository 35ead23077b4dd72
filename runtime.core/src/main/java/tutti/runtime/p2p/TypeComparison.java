package tutti.runtime.p2p;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.RankContext;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.match.Receive;
import tutti.runtime.policy.CheckLevel;

/**
 * Compares the primitive elements that are received with those that were sent, where the job {@linkplain CheckLevel#FULL asks} for that. Messages
 * carry the kind of their elements in place of the number of a collective call. Bytes and mixed types match everything.
 *
 * @param comm the communicator
 * @param kind what the receive takes
 */
record TypeComparison(CommContext comm, ElementKind kind) {

    /** Returns the comparison for a receive; null where none is made. */
    static @Nullable TypeComparison of(final CommContext comm, final Datatype type) {
        return comm.owner().checking() == CheckLevel.FULL && isCompared(type.commonKind()) ? new TypeComparison(comm, type.commonKind()) : null;
    }

    /** Returns what a message with elements of a type carries; 0 where nothing is compared. */
    static long code(final CommContext comm, final Datatype type) {
        return comm.owner().checking() == CheckLevel.FULL && isCompared(type.commonKind()) ? type.commonKind().ordinal() + 1 : 0;
    }

    private static boolean isCompared(final ElementKind kind) {
        return kind != ElementKind.NONE && kind != ElementKind.BYTE;
    }

    /** Warns when a message has other elements than the receive that took it. */
    void compare(final Receive receive) {
        final long code = receive.callOfMessage();
        if (code > 0 && code <= ElementKind.values().length && code != kind.ordinal() + 1 && receive.received() > 0) {
            final RankContext rank = comm.owner();
            rank.warn("rank " + rank.worldRank() + " on node " + rank.nodeName() + " receives tag " + receive.withTag() + " of rank "
                + comm.worldRank(receive.fromSource()) + " on " + comm.name() + " as " + text(kind) + ", sent as "
                + text(ElementKind.values()[(int) code - 1]));
        }
    }

    private static String text(final ElementKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
