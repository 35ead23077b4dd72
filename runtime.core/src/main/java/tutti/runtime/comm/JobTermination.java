package tutti.runtime.comm;

/** Lets a rank end its job. No method returns on a thread of the rank. */
public interface JobTermination {

    /** Ends the job with a status, because the rank called abort. */
    void abort(int status);

    /** Fails the job because of a fatal error of the rank; the error and its stack are reported to the user. */
    void fail(Throwable error);
}
