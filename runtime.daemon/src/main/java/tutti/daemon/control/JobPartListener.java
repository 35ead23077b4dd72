package tutti.daemon.control;

import tutti.daemon.protocol.Message;
import tutti.runtime.intercept.InterceptorReport;

/** Listener of the part of a job on a node: the job's coordinator, on this node or over a link. */
interface JobPartListener {

    /** Receives a report: a phase is reached, a rank ended, or a node is lost. Does not block. */
    void report(Message message);

    /** Receives output of a rank. May block, which throttles the rank; returns early when the coordinator is lost. */
    void printed(int rank, boolean error, byte[] bytes) throws InterruptedException;

    /** Receives a piece of a rank's trace. Blocks as {@link #printed} does. */
    void traced(int rank, byte[] bytes) throws InterruptedException;

    /** Receives a piece of a report of an interceptor. Blocks as {@link #printed} does. */
    void reported(InterceptorReport.Piece piece) throws InterruptedException;

    /** Receives a request for standard input from rank 0, which is in this part. Does not block. */
    void inputWanted();
}
