package tutti.daemon.channel;

import tutti.daemon.protocol.Message;
import tutti.runtime.intercept.InterceptorReport;

/**
 * Receiver of the frames of a {@link ControlChannel}. Methods are called one at a time, on a thread of the transport, and must not block. An
 * exception closes the link.
 */
public interface ChannelReceiver {

    /** Receives a control message. */
    default void message(final Message message) {
        throw new IllegalStateException("unexpected message: " + message.getClass().getSimpleName());
    }

    /** Receives bytes of a program file; the receiver owns the array. */
    default void program(final int file, final byte[] bytes) {
        throw new IllegalStateException("program bytes were not expected on this link");
    }

    /** Receives output of a rank; the receiver owns the array. */
    default void output(final int rank, final boolean error, final byte[] bytes) {
        throw new IllegalStateException("output was not expected on this link");
    }

    /** Receives a piece of a rank's trace, which uses credit for output; the receiver owns the array. */
    default void trace(final int rank, final byte[] bytes) {
        throw new IllegalStateException("a trace was not expected on this link");
    }

    /** Receives a piece of a report of an interceptor, which uses credit for output. */
    default void report(final InterceptorReport.Piece piece) {
        throw new IllegalStateException("a report was not expected on this link");
    }

    /** Receives standard input for rank 0; an empty array is the end of the input. The receiver owns the array. */
    default void input(final byte[] bytes) {
        throw new IllegalStateException("input was not expected on this link");
    }

    /** Receives credit for bytes of a program, which the peer has stored. */
    default void programCredit(final int bytes) {
        throw new IllegalStateException("credit was not expected on this link");
    }

    /** Receives credit for bytes of output, of traces or of reports, which the peer has consumed. */
    default void outputCredit(final int bytes) {
        throw new IllegalStateException("credit was not expected on this link");
    }

    /** Receives a request of rank 0 for standard input, at most {@code bytes} bytes. */
    default void inputCredit(final int bytes) {
        throw new IllegalStateException("credit was not expected on this link");
    }

    /** Notifies that the link is closed; called once, as the last call. The reason is text for users. */
    void closed(String reason);
}
