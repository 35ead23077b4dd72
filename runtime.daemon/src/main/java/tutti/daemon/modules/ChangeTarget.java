package tutti.daemon.modules;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;

/** A node that a change of modules is made on, as the node that leads it sees it. Methods do not block. */
interface ChangeTarget {

    /** The node's name. */
    String node();

    /** Has it get ready; completes, never exceptionally, with what came of it. */
    CompletableFuture<Message.ChangeState> prepare(ModuleChange change, Path file);

    /** Has it commit or abort. */
    CompletableFuture<Message.ChangeState> settle(boolean commit);

    /** Lets go of what leads to it. */
    void close();
}
