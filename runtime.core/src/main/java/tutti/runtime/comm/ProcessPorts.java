package tutti.runtime.comm;

import java.util.Objects;
import java.util.concurrent.CompletionStage;
import tutti.runtime.context.RankContext;
import tutti.runtime.dpm.ConnectedJobs;
import tutti.runtime.dpm.GroupMeeting;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** The ports of a rank, and the names under which ports are published in its cluster. */
public final class ProcessPorts {
    private final RankContext rank;
    private final ConnectedJobs connections;

    ProcessPorts(final RankContext rank, final ConnectedJobs connections) {
        this.rank = rank;
        this.connections = connections;
    }

    /** Opens a port on this rank's node, and returns its name. It is open until it is closed or the job ends. */
    public String open() {
        rank.checkUsable();
        return connections.openPort();
    }

    /** Closes a port of this job on this rank's node. */
    public void close(final String port) {
        rank.checkUsable();
        connections.closePort(port);
    }

    /** Publishes a name of a port, until it is unpublished or the job ends. */
    public void publish(final String name, final String port) {
        rank.checkUsable();
        checkName(name);
        if (port == null || port.isEmpty()) {
            // Remedy: the text that `openPort` returned.
            throw new MpiFailure(ErrorClass.PORT, "port name is empty");
        }
        await(connections.services().publish(name, port).thenApply(done -> true), ErrorClass.SERVICE,
            "name cannot be published: name=" + name);
    }

    /** Returns the port that is published under a name. */
    public String lookup(final String name) {
        rank.checkUsable();
        checkName(name);
        final String port = await(connections.services().lookup(name), ErrorClass.NAME, "name cannot be looked up: name=" + name);
        if (port.isEmpty()) {
            // Cause: `lookupName` before `publishName`, or in another cluster. Remedy: publish it first.
            throw new MpiFailure(ErrorClass.NAME, "name is not published in this cluster: name=" + name);
        }
        return port;
    }

    /** Removes a name that this job published on this rank's node. */
    public void unpublish(final String name) {
        rank.checkUsable();
        checkName(name);
        if (!await(connections.services().unpublish(name), ErrorClass.SERVICE, "name cannot be unpublished: name=" + name)) {
            // Cause: another job or rank has published it. Remedy: `unpublishName` on the rank that has published it.
            throw new MpiFailure(ErrorClass.SERVICE, "name was not published by this job on this node: name=" + name);
        }
    }

    private static void checkName(final String name) {
        if (name == null || name.isEmpty()) {
            // Remedy: a name.
            throw new MpiFailure(ErrorClass.NAME, "service name is empty");
        }
    }

    private <T> T await(final CompletionStage<T> stage, final ErrorClass errorClass, final String what) {
        return Objects
            .requireNonNull(GroupMeeting.await(rank, stage.toCompletableFuture(), PendingWait.Kind.NAME, null, errorClass, what));
    }
}
