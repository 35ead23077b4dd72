package tutti.coll.tck;

/** A mutation operator: an error that an author could make in one task of a plan. */
public enum Mutation {
    /** A message is sent to, or received from, another rank; a read is of another rank's memory. */
    SWAPPED_PEER,
    /** The task loses the predecessors that the algorithm named, and so may start too early. */
    MISSING_DEPENDENCY,
    /** The source range is shifted by one byte. */
    WRONG_SOURCE,
    /** The target range is shifted by one byte. */
    WRONG_TARGET,
    /** The ranges of the task are one byte too short. */
    SHORT_SPAN,
    /** The task does nothing. */
    DROPPED_TASK,
    /** The operands of a reduce task are swapped. Not applied where the operation commutes. */
    SWAPPED_OPERANDS,
    /** The await waits for the post before the right one. */
    EARLIER_POST,
    /** No task waits for the read of a peer's memory. It may take place after the memory was released to the peer. */
    LATE_READ,
    /** A message also waits until its peer has completed all its tasks, one of which needs the message: a deadlock. */
    CYCLE
}
