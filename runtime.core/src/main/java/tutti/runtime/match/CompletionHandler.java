package tutti.runtime.match;

/** Hears that a send or receive is complete; its fields say how. */
public interface CompletionHandler {

    /** Called once per start of the operation; when the operation names a home, by that home's owner. */
    void completed(MessageOperation op);
}
