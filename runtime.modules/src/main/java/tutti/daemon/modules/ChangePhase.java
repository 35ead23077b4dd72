package tutti.daemon.modules;

/** Phase of one change of modules on one node. The first three are kept in the node's state over a crash. */
public enum ChangePhase {
    /** The node can commit the change and can undo it; it offers what it offered before. */
    PREPARED,
    /** The node has voted for the change: it offers the new module beside those that it replaces. */
    COMMITTED,
    /** The node has voted against the change: it offers what it offered before. */
    UNDONE,
    /** A coordinator leads the change on the node, which must not be decided without it. */
    LED,
    /** The change is carried out for good. */
    FINISHED,
    /** The node never prepared the change, or has undone it for good. */
    UNKNOWN
}
