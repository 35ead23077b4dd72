package tutti.runtime.lifecycle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tutti.runtime.model.BindingMode;

/**
 * The processors to which the ranks of a job on this node are bound: rank by rank, those of the next core or the next hardware thread.
 *
 * <p>Only processors count on which this process may run, so {@code taskset} and the control groups of a batch system keep their effect. Several
 * nodes that one command starts on a machine share the cores, each its part: the system property {@code tutti.cores.share} is {@code INDEX/NODES}.
 *
 * <p>Immutable.
 */
public final class CoreBinding {
    /** Binds no rank. */
    public static final CoreBinding NONE = new CoreBinding(Optional.empty(), BindingMode.Unit.NONE, List.of());

    private static final Path PROCESSORS = Path.of("/sys/devices/system/cpu");
    private static final String SHARE = System.getProperty("tutti.cores.share", "0/1");

    private final Optional<ThreadAffinity> affinity;
    private final BindingMode.Unit unit;
    /** The processors of each core or hardware thread; empty where ranks are not bound. */
    private final List<BitSet> places;

    private CoreBinding(final Optional<ThreadAffinity> affinity, final BindingMode.Unit unit, final List<BitSet> places) {
        this.affinity = affinity;
        this.unit = unit;
        this.places = List.copyOf(places);
    }

    /**
     * Returns the binding of a job's ranks on this node.
     *
     * @param ranks number of ranks on this node
     * @throws IOException when they cannot be bound: there are more ranks than cores, or the system does not permit it
     */
    public static CoreBinding of(final BindingMode mode, final int ranks) throws IOException {
        if (mode.unit() == BindingMode.Unit.NONE) {
            return NONE;
        }
        final Optional<ThreadAffinity> affinity = ThreadAffinity.find();
        final BitSet allowed = affinity.map(ThreadAffinity::processors).orElseGet(BitSet::new);
        if (allowed.isEmpty()) {
            throw new IOException("ranks cannot be bound to cores here: that needs Linux, and a JVM with --enable-native-access; use --bind-to none");
        }
        final List<BitSet> places = share(mode.unit() == BindingMode.Unit.CORE ? cores(PROCESSORS, allowed) : single(allowed), SHARE);
        if (places.isEmpty() || ranks > places.size() && !mode.overload()) {
            throw new IOException("too few processors to bind ranks to: unit=" + name(mode.unit()) + ", ranks=" + ranks + ", processors="
                + places.size() + "; use fewer ranks on this node, or --bind-to " + name(mode.unit()) + ":overload-allowed");
        }
        return new CoreBinding(affinity, mode.unit(), places);
    }

    /** Returns the allowed processors of each core, in the order of the cores' first processors. */
    static List<BitSet> cores(final Path system, final BitSet allowed) throws IOException {
        final Map<Integer, BitSet> cores = new TreeMap<>();
        for (int p = allowed.nextSetBit(0); p >= 0; p = allowed.nextSetBit(p + 1)) {
            final Path siblings = system.resolve("cpu" + p).resolve("topology").resolve("thread_siblings_list");
            final int first = Files.isReadable(siblings) ? parse(Files.readString(siblings)).nextSetBit(0) : p;
            cores.computeIfAbsent(first, c -> new BitSet()).set(p);
        }
        return List.copyOf(cores.values());
    }

    private static List<BitSet> single(final BitSet allowed) {
        return allowed.stream().mapToObj(p -> {
            final BitSet one = new BitSet();
            one.set(p);
            return one;
        }).toList();
    }

    /** Parses a list of processors as the system prints it: {@code 0-1,4}. */
    private static BitSet parse(final String list) {
        final BitSet set = new BitSet();
        for (final String range : list.strip().split(",")) {
            final int dash = range.indexOf('-');
            final int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            set.set(first, (dash < 0 ? first : Integer.parseInt(range.substring(dash + 1))) + 1);
        }
        return set;
    }

    /** Returns the part of one of several nodes, {@code INDEX/NODES}. */
    static List<BitSet> share(final List<BitSet> places, final String share) {
        final int slash = share.indexOf('/');
        final int index = Integer.parseInt(share.substring(0, slash));
        final int nodes = Integer.parseInt(share.substring(slash + 1));
        return places.subList(index * places.size() / nodes, (index + 1) * places.size() / nodes);
    }

    /**
     * Binds the calling thread to the processors of a rank. Threads that it starts inherit them.
     *
     * @param index number of the rank among those of the job on this node
     */
    public void bind(final int index) {
        if (!places.isEmpty() && !affinity.orElseThrow().set(places.get(index % places.size()))) {
            throw new IllegalStateException("system refuses to bind a rank: " + describe(index));
        }
    }

    /** Returns the processors of a rank as text. */
    public String describe(final int index) {
        if (places.isEmpty()) {
            return "not bound";
        }
        final BitSet processors = places.get(index % places.size());
        return "bound to " + name(unit) + " " + processors.nextSetBit(0) + ", processors "
            + processors.stream().mapToObj(Integer::toString).collect(Collectors.joining(" "));
    }

    private static String name(final BindingMode.Unit unit) {
        return unit == BindingMode.Unit.CORE ? "core" : "hwthread";
    }
}
