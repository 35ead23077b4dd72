package tutti.coll.patterns;

import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/**
 * Adds tasks to a plan, but none for empty ranges: sender and receiver both know the length of a message. For the planning thread.
 *
 * @param plan the plan
 */
public record DataTasks(Plan plan) {

    /** Sends a range to a peer. */
    public void send(final BufferRange data, final int peer) {
        if (data.bytes() > 0) {
            plan.send(data, peer);
        }
    }

    /** Receives a range from a peer. */
    public void recv(final BufferRange into, final int peer) {
        if (into.bytes() > 0) {
            plan.recv(into, peer);
        }
    }

    /** Copies a range. */
    public void copy(final BufferRange from, final BufferRange into) {
        if (into.bytes() > 0) {
            plan.copy(from, into);
        }
    }

    /** Combines two ranges: {@code into = from (op) into}. */
    public void reduce(final Reduction reduction, final BufferRange from, final BufferRange into) {
        if (into.bytes() > 0) {
            plan.reduce(reduction, from, into);
        }
    }
}
