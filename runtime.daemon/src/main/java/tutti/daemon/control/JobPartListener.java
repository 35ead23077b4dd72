package tutti.daemon.control;

import tutti.daemon.protocol.Message;

/** Where the part of a job on a node reports to: its coordinator, here or over a link. */
interface JobPartListener {

    /** The part got somewhere, or a rank of it ended, or it lost a node. Does not block. */
    void report(Message message);

    /** A rank printed. May block, which holds the rank back; returns early when nobody listens any more. */
    void printed(int rank, boolean error, byte[] bytes) throws InterruptedException;

    /** A piece of a rank's trace. Blocks as {@link #printed} does. */
    void traced(int rank, byte[] bytes) throws InterruptedException;

    /** Rank 0, which is in this part, waits for standard input. Does not block. */
    void inputWanted();
}
