package tutti.runtime.comm;

/** How a rank ends its job. Nothing here returns on a thread of the rank. */
public interface JobTermination {

    /** The rank called abort: the job ends with that status. */
    void abort(int status);

    /** The rank made an error that is fatal: the job fails, and its user is told the error with its stack. */
    void fail(Throwable error);
}
