package tutti.daemon.modules;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;

/** Coordinator's view of a node on which modules are changed. Methods do not block. */
interface ChangeTarget {

    /** Returns the node's name. */
    String node();

    /** Tells the node to prepare the change; completes with the result, never exceptionally. */
    CompletableFuture<Message.ChangeState> prepare(ModuleChange change, Path file);

    /** Tells the node to commit or abort the change; completes with the result, never exceptionally. */
    CompletableFuture<Message.ChangeState> settle(boolean commit);

    /** Ends the change on the node and closes its link, if it has one. */
    void close();
}
