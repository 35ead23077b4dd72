package tutti.runtime.select;

import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.policy.SelectionRule;

/**
 * The properties of a call that decide which algorithm serves it. They are equal on all ranks that take part in the call.
 *
 * @param bytes     the bytes of the call as defined by {@link MessageBytes}
 * @param reduction the call's reduction; null where the operation is no reduction, or where this rank does not know it
 * @param inPlace   whether all ranks are in place; false where ranks may differ
 */
record CallProperties(long bytes, @Nullable Reduction reduction, boolean inPlace) {
    /**
     * Returns the properties of a call.
     *
     * @param group the number of ranks of the local group of an intercommunicator; 0 for an intracommunicator
     */
    static CallProperties of(final Operation<?> operation, final Call call, final int group) {
        return new CallProperties(group > 0 ? MessageBytes.between(operation, call, group) : MessageBytes.of(operation, call), call.reduction(),
            SelectionRule.isInPlaceUniform(operation) && call.inPlace());
    }
}
