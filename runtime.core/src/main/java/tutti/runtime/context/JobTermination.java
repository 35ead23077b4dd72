package tutti.runtime.context;

/** Lets a rank end its job. No method returns on a thread of the rank. */
public interface JobTermination {

    /** Ends the job with a status, because the rank called abort. */
    void abort(int status);

    /**
     * Fails the job because of a fatal error; the error and its stack are reported to the user.
     *
     * @param byPeer whether the error is that of another rank or node: where that rank raises it, it is reported instead
     */
    void fail(Throwable error, boolean byPeer);
}
