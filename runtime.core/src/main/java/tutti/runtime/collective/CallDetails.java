package tutti.runtime.collective;

import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.schedule.CallSignature;
import tutti.runtime.schedule.CallSignature.Form;

/**
 * What the ranks of a communicator compare of a collective call before they take part in it.
 *
 * @param call     {@link CallSignature#ofGroup}
 * @param reduced  {@link CallSignature#reductionOf}
 * @param received {@link CallSignature#receivedOf} on an intercommunicator; 0 on an intracommunicator, where ranks receive what they send
 * @param form     how the call runs: a blocking operation does not match a nonblocking or a persistent one
 */
record CallDetails(long call, long reduced, long received, Form form) {
    /** The number of values. */
    static final int VALUES = 4;

    /** Returns the details of a call. */
    static CallDetails of(final Operation<?> operation, final Call call, final boolean inter, final Form form) {
        return new CallDetails(CallSignature.ofGroup(operation, call), CallSignature.reductionOf(call),
            inter ? CallSignature.receivedOf(operation, call) : 0, form);
    }

    /** Returns the details that a rank has written. */
    static CallDetails read(final long[] values, final int index) {
        final int at = VALUES * index;
        return new CallDetails(values[at], values[at + 1], values[at + 2], Form.values()[(int) values[at + 3]]);
    }

    void write(final long[] values, final int index) {
        values[VALUES * index] = call;
        values[VALUES * index + 1] = reduced;
        values[VALUES * index + 2] = received;
        values[VALUES * index + 3] = form.ordinal();
    }

    /** Returns whether another rank makes the same call, in whatever form. */
    boolean isSameCall(final CallDetails other) {
        return call == other.call && reduced == other.reduced && received == other.received;
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

    /** Returns a text such as {@code nonblocking barrier()}. */
    String withForm() {
        return form.toString() + this;
    }

    @Override
    public String toString() {
        return CallSignature.text(call, reduced, received);
    }
}
