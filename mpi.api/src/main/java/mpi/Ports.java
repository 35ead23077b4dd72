package mpi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Rank;
import tutti.runtime.model.MpiFailure;

/** Calls of ports and their names, which belong to the calling rank and to no communicator: their errors are those of COMM_WORLD. */
final class Ports {
    /** Time limit of a connection whose info gives none. */
    static final Duration CONNECT_LIMIT = Duration.ofSeconds(60);
    private static final String TIMEOUT = "timeout";

    private Ports() {}

    /** A call of the runtime that returns a name. */
    interface Call {
        String of(Rank rank);
    }

    /** A call of the runtime. */
    interface Action {
        void of(Rank rank);
    }

    static String call(final Call call) throws MPIException {
        final Rank rank = ErrorHandling.checkedCaller();
        try {
            return call.of(rank);
        } catch (final MpiFailure e) {
            throw ErrorHandling.on(Bindings.of(rank).world(), e);
        }
    }

    static void run(final Action action) throws MPIException {
        call(rank -> {
            action.of(rank);
            return "";
        });
    }

    /** Returns the time limit that an info gives, in seconds; null when it gives none. */
    static @Nullable Duration timeout(final Comm comm, final @Nullable Info info) throws MPIException {
        final String value = info == null || info.isNull() ? null : info.get(TIMEOUT);
        if (value == null) {
            return null;
        }
        try {
            final double seconds = Double.parseDouble(value);
            if (seconds > 0 && seconds <= Integer.MAX_VALUE) {
                return Duration.ofNanos((long) (seconds * 1e9));
            }
        } catch (final NumberFormatException e) {
            // Cause: info `timeout` of a port. Remedy: a number of seconds.
            throw comm.raise(MPI.ERR_INFO_VALUE, "time limit is not a number of seconds: timeout=" + value);
        }
        // Cause: info `timeout` of a port. Remedy: a number of that range.
        throw comm.raise(MPI.ERR_INFO_VALUE, "time limit out of range: timeout=" + value + ", expected more than 0 and at most " + Integer.MAX_VALUE
            + " seconds");
    }
}
