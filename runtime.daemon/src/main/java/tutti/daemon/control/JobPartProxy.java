package tutti.daemon.control;

import tutti.daemon.protocol.Message;
import tutti.runtime.select.AgreedModules;

/** The part of a job on one node, as the job's coordinator sees it. For the coordinator's thread. */
abstract class JobPartProxy {

    /** What a coordinator hears of its parts, on any thread. Methods do not block. */
    interface Listener {
        /** A message of the part. */
        void reported(int node, Message message);

        /** The link to the part is gone. */
        void gone(int node, String reason);

        /** The program cannot be brought to the part. */
        void unreadable(String reason);

        /** Rank 0, which is in the part, waits for standard input. */
        void inputWanted();
    }

    private final int node;
    private boolean over;

    JobPartProxy(final int node) {
        this.node = node;
    }

    /** Index of its node in the job. */
    final int node() {
        return node;
    }

    /** Whether nothing of it is left. */
    final boolean isOver() {
        return over;
    }

    final void over() {
        over = true;
    }

    /** Tells it what the nodes agreed on, and to link to the others. */
    abstract void connect(AgreedModules agreement);

    abstract void order(Message.Verb verb, String reason);

    /** Brings standard input to rank 0, which is in this part. */
    abstract void bring(byte[] bytes);

    /** Lets go of what leads to it. */
    abstract void release();
}
