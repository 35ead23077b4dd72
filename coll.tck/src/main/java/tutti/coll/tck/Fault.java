package tutti.coll.tck;

/** A mistake that an algorithm could make in one task. */
public enum Fault {
    /** A message goes to, or comes from, the next rank. */
    SWAPPED_PEER,
    /** A task does not wait for what it must come after. */
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
    SWAPPED_OPERANDS
}
