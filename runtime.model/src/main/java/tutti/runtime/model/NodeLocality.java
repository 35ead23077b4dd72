package tutti.runtime.model;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Where a node of a job is: the switches that connect its host to others, and the processors that its ranks may use.
 *
 * @param switches   names of the switches, that of the host first, then that which connects this switch to others, and so on; empty if not known
 * @param processors the processors, in the order in which ranks are bound to them; empty if not known
 * @param share      which part of them is that of ranks that are bound, where several nodes share a machine: {@code INDEX/NODES}
 */
public record NodeLocality(List<String> switches, List<Processor> processors, String share) {
    /** The share of a node that has the machine for itself. */
    public static final String ALL = "0/1";
    /** A node of which nothing is known. */
    public static final NodeLocality UNKNOWN = new NodeLocality(List.of(), List.of(), ALL);

    /** Copies the lists. */
    public NodeLocality {
        switches = List.copyOf(switches);
        processors = List.copyOf(processors);
    }

    /** Returns the same processors of a node with switches. */
    public NodeLocality with(final List<String> names) {
        return new NodeLocality(names, processors, share);
    }

    /** Returns the processors of each place to which ranks are bound in a mode, one after the other; empty for ranks that are not bound. */
    public List<List<Processor>> places(final BindingMode.Unit unit) {
        if (unit == BindingMode.Unit.NONE) {
            return List.of();
        }
        final Map<Integer, List<Processor>> places = new LinkedHashMap<>();
        for (final Processor p : processors) {
            places.computeIfAbsent(unit == BindingMode.Unit.CORE ? p.core() : p.hwthread(), key -> new ArrayList<>()).add(p);
        }
        return part(List.copyOf(places.values()));
    }

    private <P> List<P> part(final List<P> all) {
        final int slash = share.indexOf('/');
        final int index = Integer.parseInt(share.substring(0, slash));
        final int nodes = Integer.parseInt(share.substring(slash + 1));
        return all.subList(index * all.size() / nodes, (index + 1) * all.size() / nodes);
    }

    /** Writes what {@link #read} reads. */
    public void write(final DataOutput out) throws IOException {
        out.writeInt(switches.size());
        for (final String name : switches) {
            out.writeUTF(name);
        }
        out.writeInt(processors.size());
        for (final Processor p : processors) {
            out.writeInt(p.hwthread());
            out.writeInt(p.core());
            out.writeInt(p.cache());
            out.writeInt(p.numa());
            out.writeInt(p.socket());
        }
        out.writeUTF(share);
    }

    /** Reads what {@link #write} wrote. */
    public static NodeLocality read(final DataInput in) throws IOException {
        final List<String> switches = new ArrayList<>();
        for (int n = in.readInt(); n > 0; n--) {
            switches.add(in.readUTF());
        }
        final List<Processor> processors = new ArrayList<>();
        for (int n = in.readInt(); n > 0; n--) {
            processors.add(new Processor(in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readInt()));
        }
        return new NodeLocality(switches, processors, in.readUTF());
    }

    /** Returns the same node with what the processors of each place have in common, to which ranks are bound in that mode. */
    public NodeLocality bound(final BindingMode.Unit unit) {
        return new NodeLocality(switches, places(unit).stream().map(Processor::common).toList(), share);
    }

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
        public static final Processor UNKNOWN = new Processor(NONE, NONE, NONE, NONE, NONE);

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
}
