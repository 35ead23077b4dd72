package tutti.runtime.lifecycle;

/**
 * Lets the threads that wait for messages read the links to the other nodes of the job themselves, so that no I/O thread has to wake up first.
 *
 * <p>A thread calls {@link #begin}, then {@link #poll} again and again without a pause, then {@link #end}. Threads that poll now and then only call
 * {@link #poll}. A thread that parks says so by {@link #parking} and {@link #unparked}.
 *
 * <p><b>Threads.</b> Safe for any thread; nothing here waits.
 */
public interface MessagePolling {
    /** The network of a job that has no other nodes. */
    MessagePolling NONE = new MessagePolling() {
        @Override
        public boolean hasLinks() {
            return false;
        }

        @Override
        public void begin() {
            // there are no links
        }

        @Override
        public boolean poll() {
            return false;
        }

        @Override
        public boolean pollMemory() {
            return false;
        }

        @Override
        public void end() {
            // as above
        }

        @Override
        public void parking() {
            // as above
        }

        @Override
        public void unparked() {
            // as above
        }
    };

    /** Returns whether messages can come from other nodes. */
    boolean hasLinks();

    /** Records that the calling thread polls without a pause, until it calls {@link #end}. */
    void begin();

    /** Handles what has arrived, also for other ranks of this node; returns whether there was anything. */
    boolean poll();

    /**
     * As {@link #poll}, but only for links that are polled without a system call and not for the messages of this node: for use between other polls.
     */
    boolean pollMemory();

    /** Records that the calling thread has stopped polling. */
    void end();

    /** Records that the calling thread is about to park: from now on somebody must handle what arrives. */
    void parking();

    /** Records that the calling thread does not park any more. */
    void unparked();
}
