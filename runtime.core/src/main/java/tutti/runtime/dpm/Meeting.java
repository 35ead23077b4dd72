package tutti.runtime.dpm;

import java.util.concurrent.CompletableFuture;

/** A connection between the roots of two groups of ranks, over which they create an intercommunicator. Safe for any thread. */
interface Meeting extends AutoCloseable {
    /** Version of what the roots exchange. Roots of different versions refuse each other. */
    int VERSION = 2;

    /** Sends a message. Does not block. */
    void send(byte[] message);

    /** Returns the next message, when it has arrived; fails with a message for the user when the other root has closed the connection. */
    CompletableFuture<byte[]> receive();

    /** Closes the connection after the messages are sent. Idempotent. */
    @Override
    void close();
}
