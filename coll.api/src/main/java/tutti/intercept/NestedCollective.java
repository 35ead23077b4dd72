package tutti.intercept;

/**
 * A collective that the plan of another one nests.
 *
 * @param outer        the operation that the program called, such as {@code allreduce}
 * @param operation    the nested operation, such as {@code bcast}
 * @param communicator name of the hidden communicator
 * @param bytes        length of the rank's larger buffer in the nested operation
 * @param module       the module that serves it there, name and version
 * @param algorithm    the module's algorithm
 */
public record NestedCollective(String outer, String operation, String communicator, long bytes, String module, String algorithm) {}
