package tutti.daemon.control;

import tutti.daemon.protocol.Message;

/** Coordinator's proxy of the part of a job on one node. For the coordinator's thread. */
abstract class JobPartProxy {

    /** Listener of the parts of a job, called on any thread. Methods do not block. */
    interface Listener {
        /** Receives a message from the part. */
        void reported(int node, Message message);

        /** Notifies that the link to the part is lost. */
        void partLost(int node, String reason);

        /** Notifies that the program cannot be read, so that it cannot be sent to the part. */
        void programUnreadable(String reason);

        /** Receives a request for standard input from rank 0, which is in the part. */
        void inputWanted();
    }

    private final int node;
    private volatile boolean ended;

    JobPartProxy(final int node) {
        this.node = node;
    }

    /** Returns the index of the part's node in the job. */
    final int node() {
        return node;
    }

    /** Returns whether the part has ended. */
    final boolean isEnded() {
        return ended;
    }

    final void markEnded() {
        ended = true;
    }

    /** Sends the agreement of the nodes and the addresses of their listeners to the part, which then connects to the other parts. */
    abstract void connect(Message.Connect with);

    abstract void order(Message.Verb verb, String reason);

    /** Asks the part what its ranks do. For any thread. */
    abstract void inspect(Message.Inspect question);

    /** Tells the part at which point its ranks save their states, or asks for the last one. For any thread. */
    abstract void order(Message.PointOrder order);

    /** Sends standard input to rank 0, which is in this part. */
    abstract void sendInput(byte[] bytes);

    /** Closes the link to the part, if it has one. */
    abstract void release();
}
