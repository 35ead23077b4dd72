package tutti.runtime.match;

/** Callback for the completion of a send or receive; the fields of the operation hold the result. */
public interface CompletionHandler {
    /** Does nothing: nobody waits for the operation. */
    CompletionHandler NONE = op -> {};

    /** Called once per start of the operation. If the operation has a home mailbox, the calling thread owns that mailbox. */
    void completed(MessageOperation op);
}
