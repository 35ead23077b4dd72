package tutti.runtime.request;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.runtime.model.Status;

/** The functions of the program that implement a generalized request. Calls never overlap, but may be made on any thread of the rank. */
@ConsumerType
public interface GrequestFunctions {

    /** Starts the operation. Called on the thread that starts the request. */
    void start() throws Exception;

    /** Checks or advances the operation; returns true when it is complete. Called repeatedly. */
    boolean push() throws Exception;

    /**
     * Returns the status of the operation, and frees its resources.
     *
     * @param cancelled whether the request was cancelled
     */
    Status complete(boolean cancelled) throws Exception;

    /** Cancels the operation and frees its resources; throws an exception when any part of it may have taken place. */
    void cancel() throws Exception;
}
