package tutti.coll.tck;

import tutti.coll.Call;
import tutti.coll.Reduction;

/** What calls of all kinds are asked. */
final class Calls {
    private Calls() { }

    /** What a call combines with; null when it combines nothing. */
    static Reduction reduction(final Call call) {
        return switch (call) {
            case Call.Reduce c -> c.reduction();
            case Call.Allreduce c -> c.reduction();
            case Call.Scan c -> c.reduction();
            case Call.ReduceScatter c -> c.reduction();
            default -> null;
        };
    }

    /** Whether the contribution of the caller lies where its result goes, or the other way round. */
    static boolean inPlace(final Call call) {
        return switch (call) {
            case Call.Gather c -> c.inPlace();
            case Call.Scatter c -> c.inPlace();
            case Call.Allgather c -> c.inPlace();
            case Call.Alltoall c -> c.inPlace();
            case Call.Reduce c -> c.inPlace();
            case Call.Allreduce c -> c.inPlace();
            case Call.Scan c -> c.inPlace();
            case Call.ReduceScatter c -> c.inPlace();
            default -> false;
        };
    }

    /** Whether a rank has no data at all in a call. */
    static boolean isEmpty(final Call call, final int rank, final boolean inter) {
        return call.sendBytes(rank, inter) + call.recvBytes(rank, inter) == 0;
    }
}
