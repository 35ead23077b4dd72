package tutti.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;

/** Failure that ends a command with an exit status and one or a few lines for the user. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    CommandFailure(final int status, final @Nullable String message) {
        super(message);
        this.status = status;
    }

    CommandFailure(final int status, final @Nullable String message, final Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /** Returns a text that says that a file was not found, and in which folder a relative path was looked for. */
    static String notFound(final String what, final Path file) {
        return what + " not found: " + file + (file.isAbsolute() ? "" : "; looked for in " + Path.of("").toAbsolutePath());
    }

    /** Prints the failure of a command; returns the exit status. */
    static int report(final PrintWriter err, final Exception failure) {
        if (failure instanceof final CommandFailure f) {
            err.println("tutti: " + f.getMessage());
            return f.status;
        }
        err.println("tutti: " + Protocol.oneLine(failure));
        return ExitStatus.FAILED;
    }

    int status() {
        return status;
    }
}
