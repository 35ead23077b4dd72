package tutti.runtime.introspect;

/**
 * A collective call in a trace.
 *
 * @param operation    name in lower case
 * @param module       the selected module, name and version
 * @param algorithm    the module's algorithm
 * @param communicator name of the communicator
 * @param bytes        bytes of this rank's larger buffer
 */
public record TracedCall(String operation, String module, String algorithm, String communicator, long bytes) {}
