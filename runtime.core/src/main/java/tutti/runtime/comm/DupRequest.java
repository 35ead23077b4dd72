package tutti.runtime.comm;

import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.CoreOccupancy;
import tutti.runtime.request.JobEnded;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;

/**
 * A communicator that is made while its rank does something else. The ranks agree on its context by a schedule, which was started in the
 * order of calls; the selection of modules, which blocks, has a thread of the rank for itself.
 */
final class DupRequest extends Request implements Runnable {
    private final Communicator parent;
    private final Communicator made;
    private final Request agreement;
    private final long[] contexts;

    DupRequest(final Communicator parent, final Communicator made, final Request agreement, final long[] contexts) {
        super(made.owner().life());
        this.parent = parent;
        this.made = made;
        this.agreement = agreement;
        this.contexts = contexts;
    }

    /** Its thread is one of the rank's: it ends with the rank. */
    void start() {
        made.owner().life().helpers().thread("-idup", this).start();
    }

    @Override
    public void run() {
        CoreOccupancy.enter();
        try {
            agreement.await();
            parent.engine().usage().letGo();
            CommunicatorFactory.open(made, contexts);
            finish(null);
        } catch (final MpiFailure e) {
            finish(e);
        } catch (final JobEnded e) {
            // who waits for the request finds out by himself
            return;
        } catch (final RuntimeException e) {
            finish(new MpiFailure(ErrorClass.INTERN, "internal error: " + e, e));
        } finally {
            CoreOccupancy.leave();
        }
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
