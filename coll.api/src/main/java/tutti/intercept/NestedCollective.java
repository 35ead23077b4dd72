package tutti.intercept;

/**
 * A collective that the plan of another one nests.
 *
 * @param outer        the operation that the program called, such as {@code allreduce}
 * @param operation    the nested operation, such as {@code bcast}
 * @param communicator name of the sub-communicator
 * @param bytes        length of the rank's larger buffer in the nested operation
 */
public record NestedCollective(String outer, String operation, String communicator, long bytes) {}
