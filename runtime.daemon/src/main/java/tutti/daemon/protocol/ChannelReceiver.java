package tutti.daemon.protocol;

/**
 * Gets what a {@link ControlChannel} receives. Calls come one at a time on a thread of the transport and must not block; an exception closes
 * the link.
 */
public interface ChannelReceiver {

    /** A control message came. */
    void message(Message message);

    /** Bytes of a program file came; the receiver owns the array. */
    default void program(final int file, final byte[] bytes) {
        throw new IllegalStateException("program bytes were not expected on this link");
    }

    /** A rank printed; the receiver owns the array. */
    default void output(final int rank, final boolean error, final byte[] bytes) {
        throw new IllegalStateException("output was not expected on this link");
    }

    /** A piece of a rank's trace came, for which credit is given back as for output; the receiver owns the array. */
    default void trace(final int rank, final byte[] bytes) {
        throw new IllegalStateException("a trace was not expected on this link");
    }

    /** Standard input for rank 0 came; none at all is its end. The receiver owns the array. */
    default void input(final byte[] bytes) {
        throw new IllegalStateException("input was not expected on this link");
    }

    /** The peer took that many bytes of a program. */
    default void programCredit(final int bytes) {
        throw new IllegalStateException("credit was not expected on this link");
    }

    /** The peer took that many bytes of output. */
    default void outputCredit(final int bytes) {
        throw new IllegalStateException("credit was not expected on this link");
    }

    /** Rank 0 waits for standard input, that many bytes at most. */
    default void inputCredit(final int bytes) {
        throw new IllegalStateException("credit was not expected on this link");
    }

    /** The link is gone, once and last. The reason is in words. */
    void closed(String reason);
}
