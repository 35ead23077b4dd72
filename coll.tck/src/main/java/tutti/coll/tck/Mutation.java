package tutti.coll.tck;

/** A mistake that an algorithm could make in one task. */
public enum Mutation {
    /** A message goes to, or comes from, the next rank; the memory of the next rank is read. */
    SWAPPED_PEER,
    /** A task does not wait for what it must come after; a post comes too early. */
    MISSING_DEPENDENCY,
    /** Data is read where it does not begin. */
    WRONG_SOURCE,
    /** Data is put where it does not belong. */
    WRONG_TARGET,
    /** A span is one byte short. */
    SHORT_SPAN,
    /** A task is left out. */
    DROPPED_TASK,
    /** The operands of a reduce task are taken the other way round. */
    SWAPPED_OPERANDS,
    /** The post before the right one is awaited. */
    EARLIER_POST,
    /** Nothing waits for a read of a peer's memory: it may happen after the peer was told that it may go on. */
    LATE_READ,
    /** A message waits until its peer has done everything, which has to have the message first: ranks wait in a circle. */
    CYCLE
}
