package tutti.daemon.modules;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;

/** Coordinator's view of a node on which modules are changed. Methods do not block. */
interface ChangeTarget {

    /** Returns the node's name. */
    String node();

    /**
     * Tells the node to prepare the change; completes with the result, never exceptionally.
     *
     * @param id    id of the change
     * @param nodes names of all nodes of the change
     */
    CompletableFuture<Message.ChangeState> prepare(String id, List<String> nodes, ModuleChange change, Path file);

    /** Tells the node to carry out a step of the prepared change; completes with the result, never exceptionally. */
    CompletableFuture<Message.ChangeState> settle(Message.ChangeStep step);

    /** Ends the change on the node and closes its link, if it has one. */
    void close();
}
