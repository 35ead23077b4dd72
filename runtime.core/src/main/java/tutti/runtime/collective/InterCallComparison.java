package tutti.runtime.collective;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.context.CommContext;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.schedule.CallSignature;

/**
 * Compares the calls of all ranks of an intercommunicator.
 *
 * <p>The ranks of a group must agree on the lengths and on the root; the groups must agree on the operation and on the data that one sends to the
 * other. With a root, one rank is the root, the others of its group give {@code PROC_NULL}, and all ranks of the other group name the root.
 *
 * @param comm  the intercommunicator
 * @param calls the calls, in the order of {@link CommContext#all}: those of one group, then those of the other
 * @param first the number of ranks of the group that comes first
 */
record InterCallComparison(CommContext comm, List<CallDetails> calls, int first) {

    /** Returns the failure for the first two ranks that differ; null when all calls fit together. */
    @Nullable
    MpiFailure failure() {
        for (int i = 1; i < calls.size(); i++) {
            if (calls.get(i).operation() != calls.getFirst().operation()) {
                return differ(ErrorClass.OTHER, 0, i);
            }
        }
        final Class<?> type = calls.getFirst().operation().callType();
        final MpiFailure failure = Call.Rooted.class.isAssignableFrom(type) ? compareRooted()
            : type == Call.Allgather.class || type == Call.Alltoall.class ? compareExchanged() : compareReduced();
        return failure == null ? compareForms() : failure;
    }

    private @Nullable MpiFailure compareForms() {
        for (int i = 1; i < calls.size(); i++) {
            if (calls.get(i).form() != calls.getFirst().form()) {
                return CallSignature.differ(ErrorClass.OTHER, comm.name(), name(0) + " calls " + calls.getFirst().withForm(),
                    name(i) + " calls " + calls.get(i).withForm());
            }
        }
        return null;
    }

    private @Nullable MpiFailure compareRooted() {
        final int root = indexOfRoot();
        if (root < 0) {
            return withoutRoot();
        }
        for (int i = 0; i < calls.size(); i++) {
            final int named = calls.get(i).root();
            final boolean isSameGroup = isFirst(i) == isFirst(root);
            if (i != root && named != (isSameGroup ? Call.PROC_NULL : rank(root))) {
                return differ(ErrorClass.ROOT, root, i);
            }
            final MpiFailure failure = isSameGroup ? null : compareData(root, i);
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    private int indexOfRoot() {
        for (int i = 0; i < calls.size(); i++) {
            if (calls.get(i).root() == Call.ROOT) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the failure of a call in which no rank is the root. */
    private MpiFailure withoutRoot() {
        for (int i = 0; i < calls.size(); i++) {
            if (calls.get(i).root() >= 0) {
                return differ(ErrorClass.ROOT, i, calls.get(i).root() + (isFirst(i) ? first : 0));
            }
        }
        return differ(ErrorClass.ROOT, 0, first);
    }

    /** Compares blocks, which may have another length in each direction. */
    private @Nullable MpiFailure compareExchanged() {
        for (int i = 0; i < calls.size(); i++) {
            final int leader = isFirst(i) ? 0 : first;
            if (calls.get(i).bytes() != calls.get(leader).bytes() || calls.get(i).received() != calls.get(leader).received()) {
                return differ(ErrorClass.COUNT, leader, i);
            }
        }
        final CallDetails one = calls.getFirst();
        final CallDetails other = calls.get(first);
        final boolean isUniform = one.operation() == (Operation<?>) Operation.ALLGATHER || one.operation() == (Operation<?>) Operation.ALLTOALL;
        return isUniform && (one.bytes() != other.received() || one.received() != other.bytes()) ? differ(ErrorClass.COUNT, 0, first) : null;
    }

    /** Compares data of which all ranks have the same. */
    private @Nullable MpiFailure compareReduced() {
        for (int i = 1; i < calls.size(); i++) {
            final MpiFailure failure = compareData(0, i);
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    private @Nullable MpiFailure compareData(final int one, final int other) {
        final CallDetails a = calls.get(one);
        final CallDetails b = calls.get(other);
        return a.bytes() != b.bytes() ? differ(ErrorClass.COUNT, one, other)
            : a.reduced() != b.reduced() ? differ(CallSignature.differingPart(a.reduced(), b.reduced()), one, other) : null;
    }

    private boolean isFirst(final int index) {
        return index < first;
    }

    /** Returns the rank in its group. */
    private int rank(final int index) {
        return isFirst(index) ? index : index - first;
    }

    private MpiFailure differ(final ErrorClass errorClass, final int one, final int other) {
        return CallSignature.differ(errorClass, comm.name(), name(one) + " calls " + calls.get(one), name(other) + " calls " + calls.get(other));
    }

    private String name(final int index) {
        return comm.members().nameOf(comm.all().worldRank(index));
    }
}
