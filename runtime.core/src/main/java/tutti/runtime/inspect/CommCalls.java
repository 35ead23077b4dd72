package tutti.runtime.inspect;

/**
 * How many collectives a rank has begun on a communicator.
 *
 * @param context the communicator: the same number on all its ranks, and another one for each communicator of a rank
 * @param calls   the number of collectives so far
 */
public record CommCalls(long context, long calls) {}
