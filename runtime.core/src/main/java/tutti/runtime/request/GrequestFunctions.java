package tutti.runtime.request;

import org.osgi.annotation.versioning.ConsumerType;

/** What a program does for a generalized request. Never two of the calls at once, but on any thread of the rank. */
@ConsumerType
public interface GrequestFunctions {

    /** Begins; called by the thread that starts the request. */
    void start() throws Exception;

    /** Takes a look or a step; true when all is done. Called again and again. */
    boolean push() throws Exception;

    /**
     * Says what became of it, and frees what it holds.
     *
     * @param cancelled whether the request was cancelled
     */
    Status complete(boolean cancelled) throws Exception;

    /** Stops it and frees what it holds; fails when any part may have taken place. */
    void cancel() throws Exception;
}
