package tutti.runtime.introspect;

/**
 * What a trace says of a collective call.
 *
 * @param operation    lower case
 * @param module       that serves it, name and version
 * @param algorithm    of the module
 * @param communicator its name
 * @param bytes        of this rank's larger buffer
 */
public record TracedCall(String operation, String module, String algorithm, String communicator, long bytes) { }
