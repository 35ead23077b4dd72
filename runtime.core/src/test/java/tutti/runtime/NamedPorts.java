package tutti.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Connects the worlds of two jobs over ports that have names. */
public final class NamedPorts {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private NamedPorts() {}

    /** Accepts a job at a port of rank 0, which has the name meanwhile. */
    public static Communicator serve(final Rank rank, final String name) {
        final String port = rank.worldRank() == 0 ? rank.ports().open() : "";
        if (rank.worldRank() == 0) {
            rank.ports().publish(name, port);
        }
        final Communicator made = rank.world().accept(port, 0, LIMIT);
        if (rank.worldRank() == 0) {
            rank.ports().unpublish(name);
            rank.ports().close(port);
        }
        return made;
    }

    /** Returns the port of a name, after it was published. */
    public static String await(final Rank rank, final String name) throws InterruptedException {
        for (int i = 0; i < 6000; i++) {
            try {
                return rank.ports().lookup(name);
            } catch (final MpiFailure e) {
                assertEquals(ErrorClass.NAME, e.errorClass());
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
        throw new AssertionError("name is not published");
    }

    /** Connects to the job that serves the name. */
    public static Communicator dial(final Rank rank, final String name, final int root) throws InterruptedException {
        return rank.world().connect(rank.worldRank() == root ? await(rank, name) : null, root, LIMIT);
    }
}
