package tutti.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tutti.pictures.Plot;
import tutti.runtime.policy.LongRange;

/**
 * Comparison of Tutti with MPI libraries in C, from tables of {@code tutti bench} and of {@code collbench.c}. Script {@code bench/peers} makes the
 * tables and runs this class. For one thread.
 *
 * <p>A median here is the median over the rounds of the medians of the tables. A ratio is the median of Tutti divided by the shortest median of the
 * other libraries. A median of 0, of a library whose clock is too coarse, is left out. Tutti has several transports where the other libraries have
 * their shared memory: a table of one of them counts for each of those that Tutti ran with.
 */
public final class PeerComparison {
    private static final String TUTTI = "tutti";
    /** Name of a file with a table: library, transport, number of ranks, round. The transport of the libraries in C is shm or tcp. */
    private static final Pattern NAME = Pattern.compile("([a-z]+)-(heap|shm|jvms|tcp)-\\d+-\\d+\\.txt");
    private static final String MISSING = "–";
    private static final Map<Long, Double> EQUAL = Map.of(8L, 1.0, 1L << 10, 1.0, 1L << 16, 1.0, 1L << 20, 1.0, 1L << 24, 1.0);
    /** Ratios to reach between JVMs of a host with direct memory (--direct); arrays are copied twice. */
    private static final Map<Long, Double> NEAR = Map.of(8L, 1.3, 1L << 10, 1.3, 1L << 16, 1.5, 1L << 20, 1.3, 1L << 24, 1.3);

    private final SortedMap<Key, Map<String, List<Double>>> times = new TreeMap<>();
    private final SortedMap<String, String> versions = new TreeMap<>();

    /** Path between ranks, with that of the libraries in C, and with the ratios to reach, by size. */
    private enum Transport {
        HEAP("One JVM: Tutti on one node, in C shared memory", "shm", Map.of(8L, 1.2, 1L << 10, 1.0, 1L << 16, 0.5, 1L << 20, 0.45, 1L << 24, 0.5)),
        SHM("Shared memory: Tutti on two nodes of a host, in C shared memory", "shm", NEAR),
        JVMS("A JVM per rank: Tutti on one node, in C shared memory", "shm", NEAR),
        TCP("TCP over loopback: Tutti on two nodes, in C each pair of ranks by TCP", "tcp", EQUAL);

        private final String title;
        /** Name of the transport in files of the libraries in C. */
        private final String peers;
        private final Map<Long, Double> goals;

        Transport(final String title, final String peers, final Map<Long, Double> goals) {
            this.title = title;
            this.peers = peers;
            this.goals = goals;
        }

        static Transport of(final String name) {
            return valueOf(name.toUpperCase(Locale.ROOT));
        }

        /** Returns the name in files of Tutti, and in tables. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A row of the comparison: all libraries are measured for it. */
    private record Key(Transport transport, int ranks, String operation, long bytes) implements Comparable<Key> {
        private static final Comparator<Key> ORDER = Comparator.comparing(Key::transport).thenComparingInt(Key::ranks).thenComparing(Key::operation)
            .thenComparingLong(Key::bytes);

        @Override
        public int compareTo(final Key other) {
            return ORDER.compare(this, other);
        }
    }

    private PeerComparison() {}

    /**
     * Compares the tables of a folder, and writes {@code table.md} and plots to another.
     *
     * @param args folder with tables and a file {@code machine.md} with a description of the machine; folder for the results
     */
    public static void main(final String[] args) throws IOException {
        final PeerComparison comparison = new PeerComparison();
        final Path tables = Path.of(args[0]);
        final Path results = Path.of(args[1]);
        comparison.read(tables);
        Files.writeString(results.resolve("table.md"), comparison.text(Files.readString(tables.resolve("machine.md"))));
        for (final Transport t : Transport.values()) {
            comparison.plot(t, results.resolve(t.word() + ".svg"));
        }
    }

    private void read(final Path folder) throws IOException {
        final List<Matcher> files;
        try (Stream<Path> list = Files.list(folder)) {
            files = list.map(f -> NAME.matcher(f.getFileName().toString())).filter(Matcher::matches).sorted(Comparator.comparing(Matcher::group))
                .toList();
        }
        // a run of Tutti that failed has a file without a table
        final Set<Transport> used = files.stream().filter(f -> f.group(1).equals(TUTTI)).map(f -> Transport.of(f.group(2)))
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(Transport.class)));
        for (final Matcher file : files) {
            final String library = file.group(1);
            final String name = file.group(2);
            final Collection<Transport> transports = library.equals(TUTTI) ? List.of(Transport.of(name))
                : used.stream().filter(t -> t.peers.equals(name)).toList();
            BenchTable.parse(Files.readAllLines(folder.resolve(file.group()))).ifPresent(t -> transports.forEach(p -> add(library, p, t)));
        }
    }

    private void add(final String library, final Transport transport, final BenchTable table) {
        versions.put(library, table.library());
        table.results().forEach(r -> times.computeIfAbsent(new Key(transport, table.ranks(), r.operation(), r.bytes()), k -> new TreeMap<>())
            .computeIfAbsent(library, l -> new ArrayList<>()).add(r.p50()));
    }

    /** Returns the median of a library in microseconds; empty if it was not measured. */
    private OptionalDouble median(final Key key, final String library) {
        final double[] all = times.getOrDefault(key, Map.of()).getOrDefault(library, List.of()).stream().mapToDouble(t -> t).sorted().toArray();
        return all.length == 0 ? OptionalDouble.empty() : OptionalDouble.of((all[(all.length - 1) / 2] + all[all.length / 2]) / 2);
    }

    /** Returns the ratio; empty if Tutti or all others were not measured. */
    private OptionalDouble ratio(final Key key) {
        final OptionalDouble tutti = median(key, TUTTI);
        final OptionalDouble best = versions.keySet().stream().filter(l -> !l.equals(TUTTI)).flatMapToDouble(l -> median(key, l).stream())
            .filter(m -> m > 0).min();
        return tutti.isPresent() && best.isPresent() ? OptionalDouble.of(tutti.getAsDouble() / best.getAsDouble()) : OptionalDouble.empty();
    }

    private String text(final String machine) {
        final StringBuilder text = new StringBuilder("# Tutti compared with MPI libraries in C\n\n").append(machine.strip()).append('\n');
        versions.forEach((library, version) -> text.append("- ").append(library).append(": ").append(version).append('\n'));
        text.append("\nRatios of medians: Tutti divided by the fastest C library; below 1, Tutti is faster. **Bold**: the goal is met.\n");
        final Map<Transport, Map<Integer, List<Key>>> groups = times.keySet().stream().collect(Collectors.groupingBy(Key::transport, TreeMap::new,
            Collectors.groupingBy(Key::ranks, TreeMap::new, Collectors.toList())));
        groups.forEach((transport, byRanks) -> byRanks.forEach((ranks, keys) -> ratios(text, transport, ranks, keys)));
        text.append("\n## Medians in microseconds\n\n").append(row("transport", List.of("ranks", "operation", "bytes"), versions.keySet()));
        text.append("|---|---:|---|---:|").append("---:|".repeat(versions.size())).append('\n');
        times.keySet().forEach(k -> text.append(row(k.transport.word(), List.of(Integer.toString(k.ranks), k.operation,
            Long.toString(k.bytes)), versions.keySet().stream().map(l -> number(median(k, l))).toList())));
        return text.toString();
    }

    /** Adds the table of ratios of a transport and number of ranks: a row per operation, a column per size. */
    private void ratios(final StringBuilder text, final Transport transport, final int ranks, final List<Key> keys) {
        final TreeSet<Long> sizes = keys.stream().map(Key::bytes).filter(b -> b > 0).collect(Collectors.toCollection(TreeSet::new));
        if (sizes.isEmpty()) {
            sizes.add(Long.valueOf(Double.BYTES));
        }
        text.append("\n## ").append(transport.title).append(": ").append(ranks).append(" ranks\n\n")
            .append(row("operation", List.of(), sizes.stream().map(b -> new LongRange(b, b).toString()).toList()))
            .append("|---|").append("---:|".repeat(sizes.size())).append('\n');
        for (final String operation : keys.stream().map(Key::operation).distinct().toList()) {
            // a barrier has no size: its ratio is in the column of the smallest
            final Function<Long, Key> key = b -> new Key(transport, ranks, operation, operation.equals("barrier") && b.equals(sizes.first()) ? 0 : b);
            text.append(row(operation, List.of(), sizes.stream().map(b -> {
                final OptionalDouble ratio = ratio(key.apply(b));
                final boolean met = ratio.isPresent() && ratio.getAsDouble() <= transport.goals.getOrDefault(b, 0.0);
                return met ? "**" + number(ratio) + "**" : number(ratio);
            }).toList()));
        }
        text.append(row("goal", List.of(), sizes.stream().map(b -> transport.goals.containsKey(b) ? "≤ " + transport.goals.get(b) : "").toList()));
    }

    private static String number(final OptionalDouble number) {
        return number.isEmpty() ? MISSING : String.format(Locale.ROOT, "%.2f", number.getAsDouble());
    }

    private static String row(final String first, final List<String> words, final Collection<String> others) {
        return Stream.of(List.of(first), words, others).flatMap(Collection::stream).collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    /** Writes a plot with a chart per operation and number of ranks, and a line per library. */
    private void plot(final Transport transport, final Path file) throws IOException {
        final List<Plot.Point> points = times.keySet().stream().filter(k -> k.transport == transport)
            .sorted(Comparator.comparing(Key::operation).thenComparingInt(Key::ranks).thenComparingLong(Key::bytes))
            .flatMap(k -> versions.keySet().stream().flatMap(l -> median(k, l).stream()
                .mapToObj(m -> new Plot.Point(k.operation + ", " + k.ranks + " ranks", l, k.bytes, m))))
            .toList();
        if (!points.isEmpty()) {
            Plot.write(file, new Plot.Labels("Tutti and MPI libraries in C: " + transport.title, null, true), points);
        }
    }
}
