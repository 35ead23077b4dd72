package tutti.runtime.model;

/** The reserved values of arguments: ranks, tags and buffers with a meaning of their own. */
public final class Reserved {
    /** Any source. */
    public static final int ANY_SOURCE = -1;
    /** Any tag. */
    public static final int ANY_TAG = -1;
    /** A rank that does not exist: messages to and from it have no effect. */
    public static final int PROC_NULL = -2;
    /** Passed as root on an intercommunicator by the root itself. */
    public static final int ROOT = -4;
    /** The highest tag. */
    public static final int TAG_UB = Integer.MAX_VALUE;
    /** Passed as send buffer (for scatter at the root, as receive buffer): the call is in place. */
    public static final Object IN_PLACE = "in place";

    private Reserved() {}
}
