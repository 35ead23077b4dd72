package tutti.runtime.match;

import tutti.runtime.serial.SerialExecutor;

/** An executor to which sends are submitted: the mailbox of a rank of this node, or another node. */
public abstract class SendTarget extends SerialExecutor {
    /** Handles a send: a mailbox treats it as an arriving message, another node as a message to transmit. The calling thread is the owner. */
    protected abstract void handleSend(Send send);

    /** Cancels a send that was submitted here, unless its message was matched or copied. The calling thread is the owner. */
    protected void cancel(final Send send) {
        // it completes as usual
    }
}
