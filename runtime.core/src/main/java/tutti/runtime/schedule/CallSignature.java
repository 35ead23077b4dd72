package tutti.runtime.schedule;

import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
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
 * The lengths of gatherv, scatterv, alltoallv, alltoallw and of the neighbourhood collectives may differ from rank to rank. On an
 * intercommunicator all ranks agree on the operation only; {@link #ofGroup} also encodes what depends on the group. Each rank decides on its own
 * whether its call is in place.
 *
 * <pre>
 *  61       57 56         32 31               0
 *  +----------+-------------+------------------+
 *  | op + 1   | root + 1    | bytes + 1        |   0 where there is none; the maximum where the bytes do not fit. The two largest roots stand for
 *  +----------+-------------+------------------+   ROOT and PROC_NULL
 * </pre>
 *
 * <p>Calls that create communicators have the numbers above those of the operations. Bits 62 and 63 are
 * {@link tutti.runtime.match.IncomingMessage#LOSS} and {@link tutti.runtime.match.IncomingMessage#INVALID}.
 */
public final class CallSignature {
    /** A call that creates a communicator. Like a collective, all ranks make it. */
    public enum Creation {
        /** Duplicates a communicator. */
        DUP("dup"),
        /** Duplicates a communicator in a nonblocking call. */
        I_DUP("iDup"),
        /** Splits a communicator by colours. */
        SPLIT("split"),
        /** Creates a communicator of a group. */
        CREATE("create"),
        /** Merges the groups of an intercommunicator. */
        MERGE("merge"),
        /** Creates an intercommunicator, at its local group. */
        CREATE_INTERCOMM("createIntercomm"),
        /** Sets hints, which may select other modules. */
        SET_INFO("setInfo"),
        /** Replaces ranks that have failed. */
        REPLACE("replace");

        private final String text;

        Creation(final String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** How a call of a collective runs. */
    public enum Form {
        /** Returns when its part is complete. */
        BLOCKING(""),
        /** Returns a request. */
        NONBLOCKING("nonblocking "),
        /** Started repeatedly. */
        PERSISTENT("persistent ");

        private final String text;

        Form(final String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final int OPERATION = 57;
    private static final int ROOT = 32;
    private static final long ROOT_MASK = (1L << OPERATION - ROOT) - 1;
    /** The encoded root of a rank of the root's group of an intercommunicator. */
    private static final long NO_ROOT = ROOT_MASK;
    /** The encoded root of the root of an intercommunicator. */
    private static final long OWN_ROOT = ROOT_MASK - 1;
    private static final long[] NONE = {};
    private static final long MAX_BYTES = (1L << ROOT) - 1;
    private static final Op[] OPS = {Op.MAX, Op.MIN, Op.SUM, Op.PROD, Op.LAND, Op.BAND, Op.LOR, Op.BOR, Op.LXOR, Op.BXOR, Op.MINLOC, Op.MAXLOC};
    private static final int OP = 8;
    private static final int TYPE = 8;
    /** What tells user-defined operations apart, from this bit on. */
    private static final int USER = OP + TYPE;

    private static final Set<Operation<?>> OWN_LENGTHS = Set.of(Operation.GATHERV, Operation.SCATTERV, Operation.ALLGATHERV, Operation.ALLTOALLV,
        Operation.ALLTOALLW, Operation.REDUCE_SCATTER, Operation.NEIGHBOR_ALLGATHER, Operation.NEIGHBOR_ALLGATHERV, Operation.NEIGHBOR_ALLTOALL,
        Operation.NEIGHBOR_ALLTOALLV, Operation.NEIGHBOR_ALLTOALLW);

    private CallSignature() {}

    /** Returns the signature of a call; never 0. */
    public static long of(final Operation<?> operation, final Call call, final boolean inter) {
        return inter ? encode(operation, -1, -1) : ofGroup(operation, call);
    }

    /**
     * Returns the signature of a call with what the ranks of a group must agree on. On an intercommunicator it has the root as this rank gives it
     * and, where its ranks know them, the bytes: of allgather and alltoall the block that this rank sends to each rank, of allgatherv all blocks
     * that it receives.
     */
    public static long ofGroup(final Operation<?> operation, final Call call) {
        if (call.isUninvolved()) {
            return encode(operation, Call.PROC_NULL, -1);
        }
        return switch (call) {
            case Call.Bcast c -> encode(operation, c.root(), c.bytes());
            case Call.Gather c -> encode(operation, c.root(), operation == (Operation<?>) Operation.GATHER ? c.sendBytes() : -1);
            case Call.Scatter c -> encode(operation, c.root(), operation == (Operation<?>) Operation.SCATTER ? c.recvBytes() : -1);
            case Call.Reduce c -> encode(operation, c.root(), c.bytes());
            case Call.Allgather c -> encode(operation, -1, operation == (Operation<?>) Operation.ALLGATHER ? c.sendBytes() : c.recv().total());
            case Call.Alltoall c -> encode(operation, -1, operation == (Operation<?>) Operation.ALLTOALL ? c.send().bytes(0) : -1);
            case Call.Allreduce c -> encode(operation, -1, c.bytes());
            case Call.Scan c -> encode(operation, -1, c.bytes());
            case Call.ReduceScatter c -> encode(operation, -1, c.blocks().total());
            default -> encode(operation, -1, -1);
        };
    }

    private static long encode(final Operation<?> operation, final int root, final long bytes) {
        return operation.ordinal() + 1L << OPERATION | encodeRoot(root) << ROOT | encodeBytes(bytes);
    }

    private static long encodeRoot(final int root) {
        return root == Call.ROOT ? OWN_ROOT : root == Call.PROC_NULL ? NO_ROOT : root + 1L;
    }

    private static long encodeBytes(final long bytes) {
        return Math.min(bytes + 1, MAX_BYTES);
    }

    /**
     * Returns an encoding of the bytes that a rank receives from each other one in allgather and alltoall, in which the two groups of an
     * intercommunicator may send different lengths; 0 for other calls.
     */
    public static long receivedOf(final Operation<?> operation, final Call call) {
        return switch (call) {
            case Call.Allgather c when operation == (Operation<?>) Operation.ALLGATHER -> encodeBytes(c.recv().bytes(0));
            case Call.Alltoall c when operation == (Operation<?>) Operation.ALLTOALL -> encodeBytes(c.recv().bytes(0));
            default -> 0;
        };
    }

    /** Returns the encoded bytes of a signature: 0 where it has none. */
    public static long bytes(final long call) {
        return call & MAX_BYTES;
    }

    /** Returns the root of a signature: a rank, {@link Call#ROOT} or {@link Call#PROC_NULL}; -1 where the operation has none. */
    public static int root(final long call) {
        final long root = call >>> ROOT & ROOT_MASK;
        return root == OWN_ROOT ? Call.ROOT : root == NO_ROOT ? Call.PROC_NULL : (int) root - 1;
    }

    /** Returns the operation of a signature. */
    public static Operation<?> operation(final long call) {
        return Operation.values().get((int) (call >>> OPERATION) - 1);
    }

    /** Returns the signature of a call that creates a communicator; never 0. */
    public static long of(final Creation creation) {
        return Operation.values().size() + creation.ordinal() + 1L << OPERATION;
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
        return text(call, reduction, 0);
    }

    /**
     * Returns a text such as {@code allgather(4 bytes, 8 bytes from each)}.
     *
     * @param received from {@link #receivedOf}; 0 for none
     */
    public static String text(final long call, final long reduction, final long received) {
        final StringJoiner text = new StringJoiner(", ", name(call) + "(", ")");
        if (reduction != 0) {
            final int op = (int) (reduction & (1 << OP) - 1) - 1;
            text.add((op < OPS.length ? OPS[op].name() : "user-defined operation " + Long.toHexString(reduction >>> USER)) + " of "
                + ElementKind.values()[(int) (reduction >> OP) & (1 << TYPE) - 1].name().toLowerCase(Locale.ROOT));
        }
        final int root = root(call);
        if (root != -1) {
            text.add("root " + (root == Call.ROOT ? "MPI.ROOT" : root == Call.PROC_NULL ? "MPI.PROC_NULL" : Integer.toString(root)));
        }
        if (bytes(call) != 0) {
            text.add(count(bytes(call)));
        }
        if (received != 0) {
            text.add(count(received) + " from each");
        }
        return text.toString();
    }

    /** Returns the name of the operation, or of the call that creates a communicator, of a signature. */
    private static String name(final long call) {
        final int operation = (int) (call >>> OPERATION) - 1;
        final int operations = Operation.values().size();
        return (operation < operations ? Operation.values().get(operation) : Creation.values()[operation - operations]).toString();
    }

    private static String count(final long encoded) {
        return (encoded == MAX_BYTES ? "at least " : "") + (encoded - 1) + " bytes";
    }

    /**
     * Returns the failure for two ranks in different calls. Its error class says what differs.
     *
     * @param calls the signatures of both calls, then the encodings of what they reduce
     */
    public static MpiFailure differ(final String comm, final String first, final String second, final long[] calls) {
        final ErrorClass errorClass = calls[0] != calls[1] ? differing(calls[0], calls[1]) : differingPart(calls[2], calls[3]);
        return differ(errorClass, comm, first + " calls " + text(calls[0], calls[2]), second + " calls " + text(calls[1], calls[3]));
    }

    /** Returns the error class for two different signatures. */
    static ErrorClass differing(final long call, final long other) {
        final long differing = call ^ other;
        return differing >>> OPERATION != 0 ? ErrorClass.OTHER : differing >>> ROOT != 0 ? ErrorClass.ROOT : ErrorClass.COUNT;
    }

    /** Returns whether two signatures differ in the bytes only. */
    static boolean differInLength(final long call, final long other) {
        return call != other && (call ^ other) >>> ROOT == 0;
    }

    /**
     * Returns the error class for two calls that differ in the bytes only: whether a rank sends more than the other receives. Data of operations with
     * a root goes from it or to it; of others each rank receives.
     *
     * @param isRoot whether the rank that makes the first call is the root
     */
    static ErrorClass differingLengths(final long call, final long other, final boolean isRoot) {
        final Operation<?> operation = operation(call);
        final boolean isFromRoot = operation == (Operation<?>) Operation.BCAST || operation == (Operation<?>) Operation.SCATTER;
        final boolean isSender = root(call) >= 0 && isFromRoot == isRoot && (isFromRoot || !hasOwnLengths(call));
        return bytes(isSender ? call : other) > bytes(isSender ? other : call) ? ErrorClass.TRUNCATE : ErrorClass.COUNT;
    }

    /** Returns whether the lengths of a call may differ from rank to rank: only some ranks know those of others. */
    static boolean hasOwnLengths(final long call) {
        return OWN_LENGTHS.contains(operation(call));
    }

    /** Returns the signature that a rank which shares memory in a call shows: where the lengths differ from rank to rank it has the own one. */
    public static long shared(final Operation<?> operation, final Call call, final boolean inter, final int rank) {
        return operation == (Operation<?>) Operation.GATHERV && !inter && call instanceof Call.Gather c
            ? encode(operation, c.root(), rank == c.root() ? -1 : c.sendBytes()) : of(operation, call, inter);
    }

    /** Returns the signatures that a rank should find at the others, per rank; empty where all are that of this rank. */
    public static long[] sharedByOthers(final Operation<?> operation, final Call call, final boolean inter, final int size) {
        if (operation != (Operation<?>) Operation.GATHERV || inter || !(call instanceof Call.Gather c)) {
            return NONE;
        }
        final long[] others = new long[size];
        for (int r = 0; r < size; r++) {
            others[r] = encode(operation, c.root(), c.recv() == null || r == c.root() ? -1 : c.recv().bytes(r));
        }
        return others;
    }

    /** Returns the error class for two different reductions, encoded by {@link #reductionOf}: whether their types or their operations differ. */
    public static ErrorClass differingPart(final long reduction, final long other) {
        return ((reduction ^ other) >>> OP & (1 << TYPE) - 1) != 0 ? ErrorClass.TYPE : ErrorClass.OP;
    }

    /** Returns the failure for two ranks in different calls, given what each of them calls. */
    public static MpiFailure differ(final ErrorClass errorClass, final String comm, final String first, final String second) {
        // Cause: ranks of a communicator make different collective calls; the class is that of what differs. Remedy: the message names both calls;
        // every rank must make the same ones in the same order.
        return new MpiFailure(errorClass, "collective calls differ on " + comm + ": " + first + ", " + second);
    }
}
