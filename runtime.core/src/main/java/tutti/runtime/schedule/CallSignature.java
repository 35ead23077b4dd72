package tutti.runtime.schedule;

import java.util.Locale;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * A decodable 64-bit encoding of a collective call. It holds exactly what all ranks of a communicator must agree on.
 *
 * <p>These are the operation, the root if there is one, and the packed bytes of
 * <ul>
 * <li>bcast, reduce, allreduce, scan, exscan: the message;
 * <li>gather, scatter, allgather, alltoall: the block of each rank;
 * <li>allgatherv, reduce_scatter, reduce_scatter_block: the blocks of all ranks together.
 * </ul>
 * The lengths of gatherv, scatterv, alltoallv, alltoallw and of the neighbourhood collectives may differ from rank to rank. Root and lengths may
 * also differ between the groups of an intercommunicator. Each rank decides on its own whether its call is in place.
 *
 * <pre>
 *  63       58 57         32 31               0
 *  +----------+-------------+------------------+
 *  | op + 1   | root + 1    | bytes + 1        |   0 where there is none; the maximum where the value does not fit
 *  +----------+-------------+------------------+
 * </pre>
 */
public final class CallSignature {
    private static final int OPERATION = 58;
    private static final int ROOT = 32;
    private static final long MAX_ROOT = (1L << OPERATION - ROOT) - 1;
    private static final long MAX_BYTES = (1L << ROOT) - 1;
    private static final Op[] OPS = {Op.MAX, Op.MIN, Op.SUM, Op.PROD, Op.LAND, Op.BAND, Op.LOR, Op.BOR, Op.LXOR, Op.BXOR, Op.MINLOC, Op.MAXLOC};
    private static final int OP = 8;
    private static final int TYPE = 8;
    /** What tells user-defined operations apart, from this bit on. */
    private static final int USER = OP + TYPE;

    private CallSignature() {}

    /** Returns the signature of a call; never 0. */
    public static long of(final Operation<?> operation, final Call call, final boolean inter) {
        return inter ? encode(operation, -1, -1) : switch (call) {
            case Call.Bcast c -> encode(operation, c.root(), c.bytes());
            case Call.Gather c -> encode(operation, c.root(), operation == (Operation<?>) Operation.GATHER ? c.sendBytes() : -1);
            case Call.Scatter c -> encode(operation, c.root(), operation == (Operation<?>) Operation.SCATTER ? c.recvBytes() : -1);
            case Call.Reduce c -> encode(operation, c.root(), c.bytes());
            case Call.Allgather c -> encode(operation, -1, operation == (Operation<?>) Operation.ALLGATHER ? c.sendBytes() : c.recv().total());
            case Call.Alltoall c -> encode(operation, -1, operation == (Operation<?>) Operation.ALLTOALL ? c.recv().bytes(0) : -1);
            case Call.Allreduce c -> encode(operation, -1, c.bytes());
            case Call.Scan c -> encode(operation, -1, c.bytes());
            case Call.ReduceScatter c -> encode(operation, -1, c.blocks().total());
            default -> encode(operation, -1, -1);
        };
    }

    private static long encode(final Operation<?> operation, final int root, final long bytes) {
        return operation.ordinal() + 1L << OPERATION | Math.min(root + 1L, MAX_ROOT) << ROOT | Math.min(bytes + 1, MAX_BYTES);
    }

    /** Returns an encoding of the operation and type of a reduction; 0 for other calls. */
    public static long reductionOf(final Call call) {
        return call.reduction() instanceof BoundReduction b
            ? 1 + indexOf(b.op()) + ((long) b.type().elementKind().ordinal() << OP) + (Integer.toUnsignedLong(b.op().userCode()) << USER) : 0;
    }

    private static int indexOf(final Op op) {
        int i = 0;
        while (i < OPS.length && OPS[i] != op) {
            i++;
        }
        return i;
    }

    /** Returns a text such as {@code bcast(root 0, 80 bytes)}. */
    public static String text(final long call, final long reduction) {
        final StringBuilder text = new StringBuilder();
        if (reduction != 0) {
            final int op = (int) (reduction & (1 << OP) - 1) - 1;
            text.append(op < OPS.length ? OPS[op].name() : "user-defined operation " + Long.toHexString(reduction >>> USER))
                .append(" of ").append(ElementKind.values()[(int) (reduction >> OP) & (1 << TYPE) - 1].name().toLowerCase(Locale.ROOT));
        }
        final long root = call >>> ROOT & MAX_ROOT;
        if (root != 0) {
            text.append(text.isEmpty() ? "root " : ", root ").append(root - 1);
        }
        final long bytes = call & MAX_BYTES;
        if (bytes != 0) {
            text.append(text.isEmpty() ? "" : ", ").append(bytes == MAX_BYTES ? "at least " : "").append(bytes - 1).append(" bytes");
        }
        return Operation.values().get((int) (call >>> OPERATION) - 1) + "(" + text + ")";
    }

    /** Returns the failure for two ranks in different calls. Its error class says what differs. */
    public static MpiFailure differ(final String comm, final String first, final String second, final long[] calls) {
        final long differing = calls[0] ^ calls[1];
        final ErrorClass errorClass = differing >>> OPERATION != 0 ? ErrorClass.OTHER : differing >>> ROOT != 0 ? ErrorClass.ROOT
            : differing != 0 ? ErrorClass.COUNT : ((calls[2] ^ calls[3]) >>> OP & (1 << TYPE) - 1) != 0 ? ErrorClass.TYPE : ErrorClass.OP;
        return new MpiFailure(errorClass, "collective calls differ on " + comm + ": " + first + " calls " + text(calls[0], calls[2]) + ", " + second
            + " calls " + text(calls[1], calls[3]));
    }
}
