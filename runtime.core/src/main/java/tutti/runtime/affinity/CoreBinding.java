package tutti.runtime.affinity;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import tutti.runtime.model.BindingMode;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.model.NodeLocality.Processor;

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

    private static final Path SYSTEM = Path.of("/sys/devices/system/cpu");
    private static final String SHARE = System.getProperty("tutti.cores.share", NodeLocality.ALL);

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
        final List<BitSet> places = locality(SYSTEM, allowed).places(mode.unit()).stream().map(CoreBinding::threads).toList();
        if (places.isEmpty() || ranks > places.size() && !mode.overload()) {
            throw new IOException("too few processors to bind ranks to: unit=" + name(mode.unit()) + ", ranks=" + ranks + ", processors="
                + places.size() + "; use fewer ranks on this node, or --bind-to " + name(mode.unit()) + ":overload-allowed");
        }
        return new CoreBinding(affinity, mode.unit(), places);
    }

    /** Returns the processors that this process may use, and its share of them; those that cannot be told are left out. */
    public static NodeLocality locality() {
        return locality(SYSTEM, ThreadAffinity.find().map(ThreadAffinity::processors).orElseGet(BitSet::new));
    }

    /** Returns the allowed processors as the files of the system describe them, in the order of the cores' first processors. */
    static NodeLocality locality(final Path system, final BitSet allowed) {
        return new NodeLocality(List.of(), allowed.stream().mapToObj(p -> processor(system.resolve("cpu" + p), p))
            .sorted(Comparator.comparingInt(Processor::core).thenComparingInt(Processor::hwthread)).toList(), SHARE);
    }

    private static Processor processor(final Path files, final int processor) {
        int cache = Processor.NONE;
        for (int level = 0; Files.exists(files.resolve("cache").resolve("index" + level)); level++) {
            cache = first(files.resolve("cache").resolve("index" + level).resolve("shared_cpu_list"), cache);
        }
        int numa = Processor.NONE;
        try (DirectoryStream<Path> nodes = Files.newDirectoryStream(files, "node[0-9]*")) {
            for (final Path node : nodes) {
                numa = Integer.parseInt(Objects.requireNonNull(node.getFileName()).toString().substring("node".length()));
            }
        } catch (final IOException e) {
            // the system does not tell it
        }
        final Path topology = files.resolve("topology");
        return new Processor(processor, first(topology.resolve("thread_siblings_list"), processor), cache, numa,
            first(topology.resolve("physical_package_id"), Processor.NONE));
    }

    /** Returns the first number in a file; a default where the system has no such file. */
    private static int first(final Path file, final int byDefault) {
        try {
            return Files.isReadable(file) ? Integer.parseInt(Files.readString(file).strip().split("[-,]", 2)[0]) : byDefault;
        } catch (final IOException | NumberFormatException e) {
            return byDefault;
        }
    }

    private static BitSet threads(final List<Processor> place) {
        final BitSet threads = new BitSet();
        place.forEach(p -> threads.set(p.hwthread()));
        return threads;
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
