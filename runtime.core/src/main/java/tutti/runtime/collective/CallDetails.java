package tutti.runtime.collective;

import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.schedule.CallSignature;

/**
 * What the ranks of a communicator compare of a collective call before they take part in it.
 *
 * @param call     {@link CallSignature#ofGroup}
 * @param reduced  {@link CallSignature#reductionOf}
 * @param received {@link CallSignature#receivedOf} on an intercommunicator; 0 on an intracommunicator, where ranks receive what they send
 */
record CallDetails(long call, long reduced, long received) {
    /** The number of values. */
    static final int VALUES = 3;

    /** Returns the details of a call. */
    static CallDetails of(final Operation<?> operation, final Call call, final boolean inter) {
        return new CallDetails(CallSignature.ofGroup(operation, call), CallSignature.reductionOf(call),
            inter ? CallSignature.receivedOf(operation, call) : 0);
    }

    /** Returns the details that a rank has written. */
    static CallDetails read(final long[] values, final int index) {
        return new CallDetails(values[VALUES * index], values[VALUES * index + 1], values[VALUES * index + 2]);
    }

    void write(final long[] values, final int index) {
        values[VALUES * index] = call;
        values[VALUES * index + 1] = reduced;
        values[VALUES * index + 2] = received;
    }

    Operation<?> operation() {
        return CallSignature.operation(call);
    }

    int root() {
        return CallSignature.root(call);
    }

    /** Returns the encoded bytes that the rank gives. */
    long bytes() {
        return CallSignature.bytes(call);
    }

    @Override
    public String toString() {
        return CallSignature.text(call, reduced, received);
    }
}
