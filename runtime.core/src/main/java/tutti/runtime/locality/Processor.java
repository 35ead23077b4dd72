package tutti.runtime.locality;

import java.util.Collection;
import java.util.function.ToIntFunction;

/**
 * A processor of a host, or what several processors have in common: the domains in which it is, by numbers that tell them apart on the host.
 *
 * @param hwthread the hardware thread, as the system numbers it
 * @param core     the core
 * @param cache    the last level of cache
 * @param numa     the NUMA node
 * @param socket   the socket
 */
public record Processor(int hwthread, int core, int cache, int numa, int socket) {
    /** The number of a domain that is not known, or not one only. */
    public static final int NONE = -1;
    /** A processor of which nothing is known. */
    static final Processor UNKNOWN = new Processor(NONE, NONE, NONE, NONE, NONE);

    /** Returns what processors have in common: the domains in which all of them are. */
    public static Processor common(final Collection<Processor> processors) {
        return new Processor(common(processors, Processor::hwthread), common(processors, Processor::core), common(processors, Processor::cache),
            common(processors, Processor::numa), common(processors, Processor::socket));
    }

    private static int common(final Collection<Processor> processors, final ToIntFunction<Processor> domain) {
        final int[] domains = processors.stream().mapToInt(domain).distinct().toArray();
        return domains.length == 1 ? domains[0] : NONE;
    }
}
