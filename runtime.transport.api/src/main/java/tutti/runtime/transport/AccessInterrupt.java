package tutti.runtime.transport;

/**
 * Clears the interrupt of a thread that accessed memory while another thread closed the arena of that memory.
 *
 * <p>The access ends with an {@link IllegalStateException}. The JDK throws it into the thread from outside, and interrupts the thread, too. A
 * transport releases the memory of a link while others may send and poll. Those threads run the program of a rank, which must not see an interrupt.
 *
 * <pre>{@code
 * boolean wasInterrupted = Thread.currentThread().isInterrupted();
 * try {
 *     // accesses the memory
 * } catch (IllegalStateException e) {
 *     // when the memory was released
 *     AccessInterrupt.clear(wasInterrupted);
 * }
 * }</pre>
 */
public final class AccessInterrupt {

    private AccessInterrupt() {}

    /**
     * Clears the interrupt status of the current thread, unless the thread was interrupted before its access. An interrupt by a third thread during
     * the access is lost: nothing tells it apart.
     */
    public static void clear(final boolean wasInterrupted) {
        if (!wasInterrupted) {
            Thread.interrupted();
        }
    }
}
