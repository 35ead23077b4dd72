package tutti.runtime.introspect;

import java.util.List;

/**
 * A collective call in a trace.
 *
 * @param operation    name in lower case
 * @param module       the selected module, name and version
 * @param algorithm    the module's algorithm
 * @param reason       why that algorithm was selected
 * @param communicator name of the communicator
 * @param bytes        bytes of this rank's larger buffer
 * @param parts        the collectives nested in it, in the order of their first tasks
 */
public record TracedCall(String operation, String module, String algorithm, String reason, String communicator, long bytes,
    List<PlannedPart> parts) {
    /** Copies the list. */
    public TracedCall {
        parts = List.copyOf(parts);
    }

    /** Creates a call that no selection decided on. */
    public TracedCall(final String operation, final String module, final String algorithm, final String communicator, final long bytes) {
        this(operation, module, algorithm, "", communicator, bytes, List.of());
    }
}
