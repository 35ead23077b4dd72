package tutti.interceptors;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tutti.intercept.JsonText;

/** The report of a job's profile as text, JSON or SVG. Immutable. */
final class ProfileReport {
    private static final double NANOS = 1e9;
    private static final double MICROS = 1e3;
    private static final int BAR = 460;
    private static final int ROW = 18;
    private static final int LEFT = 120;
    /** Most call sites of a summary. */
    private static final int MOST_SITES = 200;

    private final String job;
    private final List<RankProfile> ranks;
    private final List<Place> places;

    /** The calls of an operation at a line, on all ranks. */
    private record Place(String operation, String place, long calls, long nanos, long most, long least, long longest, long bytes) {
        /** Returns how much longer the slowest rank was there than the mean of all ranks. */
        double imbalance(final int size) {
            return nanos == 0 ? 1 : (double) most * size / nanos;
        }
    }

    ProfileReport(final String job, final List<RankProfile> ranks) {
        this.job = job;
        this.ranks = ranks.stream().sorted(Comparator.comparingInt(RankProfile::rank)).toList();
        final Map<List<String>, Place> sums = new HashMap<>();
        final Map<List<String>, Integer> present = new HashMap<>();
        for (final RankProfile r : ranks) {
            for (final RankProfile.Site s : r.sites()) {
                final List<String> key = List.of(s.operation(), s.place());
                present.merge(key, 1, Integer::sum);
                sums.merge(key, new Place(s.operation(), s.place(), s.calls(), s.nanos(), s.nanos(), s.nanos(), s.longest(), s.bytes()),
                    (a, b) -> new Place(a.operation, a.place, a.calls + b.calls, a.nanos + b.nanos, Math.max(a.most, b.most),
                        Math.min(a.least, b.least), Math.max(a.longest, b.longest), a.bytes + b.bytes));
            }
        }
        // a rank that does not call there spends no time there
        sums.replaceAll((key, p) -> present.getOrDefault(key, 0) == ranks.size() ? p
            : new Place(p.operation, p.place, p.calls, p.nanos, p.most, 0, p.longest, p.bytes));
        this.places = sums.values().stream().sorted(Comparator.comparingLong(Place::nanos).reversed().thenComparing(Place::place)
            .thenComparing(Place::operation)).toList();
    }

    private long total() {
        return ranks.stream().mapToLong(RankProfile::nanos).sum();
    }

    private long inMpi() {
        return ranks.stream().mapToLong(RankProfile::inMpi).sum();
    }

    private static double percent(final long part, final long whole) {
        return whole == 0 ? 0 : 100.0 * part / whole;
    }

    private static String format(final String pattern, final Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    private SortedMap<Long, Long> lengths() {
        final SortedMap<Long, Long> all = new TreeMap<>();
        ranks.forEach(r -> r.lengths().forEach((length, calls) -> all.merge(length, calls, Long::sum)));
        return all;
    }

    private static String bytes(final long bytes) {
        if (bytes >= 1L << 30) {
            return format("%.1f GiB", bytes / (double) (1L << 30));
        }
        return bytes >= 1L << 20 ? format("%.1f MiB", bytes / (double) (1L << 20)) : bytes >= 1L << 10 ? format("%.1f KiB", bytes / 1024.0)
            : bytes + " B";
    }

    /** Returns the report for people, with at most so many call sites. */
    String text(final int sites) {
        final StringBuilder t = new StringBuilder();
        t.append(format("profile of job %s: %d ranks, %.3f s, %.1f %% of it in MPI%n", job, ranks.size(),
            ranks.stream().mapToLong(RankProfile::nanos).max().orElse(0) / NANOS, percent(inMpi(), total())));
        t.append(format("%nrank  node              time s     MPI s    MPI %%%n"));
        for (final RankProfile r : ranks) {
            t.append(format("%4d  %-14s %9.3f %9.3f %8.1f%n", r.rank(), r.node(), r.nanos() / NANOS, r.inMpi() / NANOS,
                percent(r.inMpi(), r.nanos())));
        }
        t.append(format("%noperation         calls    time s   MPI %%    mean us     max us      bytes  max/mean  line%n"));
        for (final Place p : places.subList(0, Math.min(sites, places.size()))) {
            t.append(format("%-14s %8d %9.3f %7.1f %10.1f %10.1f %10s %9.2f  %s%n", p.operation, p.calls, p.nanos / NANOS, percent(p.nanos, inMpi()),
                p.nanos / MICROS / p.calls, p.longest / MICROS, bytes(p.bytes), p.imbalance(ranks.size()), p.place));
        }
        if (places.size() > sites) {
            t.append(format("and %d more: -p intercept.profile.sites=%d%n", places.size() - sites, places.size()));
        }
        final SortedMap<Long, Long> lengths = lengths();
        if (!lengths.isEmpty()) {
            t.append(format("%ndata up to      calls%n"));
            lengths.forEach((length, calls) -> t.append(format("%10s %10d%n", bytes(length), calls)));
        }
        return t.toString();
    }

    /** Returns the report as JSON; times are in nanoseconds. */
    String json() {
        final String perRank = ranks.stream().map(r -> "{\"rank\":" + r.rank() + ",\"node\":" + JsonText.string(r.node()) + ",\"nanos\":" + r.nanos()
            + ",\"mpiNanos\":" + r.inMpi() + ",\"sites\":" + r.sites().stream()
                .sorted(Comparator.comparingLong(RankProfile.Site::nanos).reversed())
                .map(s -> "{\"operation\":" + JsonText.string(s.operation()) + ",\"line\":" + JsonText.string(s.place()) + ",\"calls\":" + s.calls()
                    + ",\"nanos\":"
                    + s.nanos() + ",\"longest\":" + s.longest() + ",\"bytes\":" + s.bytes() + "}")
                .collect(Collectors.joining(",", "[", "]"))
            + "}").collect(Collectors.joining(",", "[", "]"));
        return "{\"job\":" + JsonText.string(job) + ",\"nanos\":" + total() + ",\"mpiNanos\":" + inMpi() + ",\"ranks\":" + perRank + ",\"lengths\":"
            + lengthsJson() + "}\n";
    }

    /**
     * Returns the report as JSON with the sums of all ranks by call site, those with most time first, at most {@value #MOST_SITES}; times are in
     * nanoseconds.
     */
    String summary() {
        final String perRank = ranks.stream().map(r -> "{\"rank\":" + r.rank() + ",\"node\":" + JsonText.string(r.node()) + ",\"nanos\":" + r.nanos()
            + ",\"mpiNanos\":" + r.inMpi() + "}").collect(Collectors.joining(",", "[", "]"));
        final String sites = places.stream().limit(MOST_SITES)
            .map(p -> "{\"operation\":" + JsonText.string(p.operation) + ",\"line\":" + JsonText.string(p.place)
                + ",\"calls\":" + p.calls + ",\"nanos\":" + p.nanos + ",\"mostNanos\":" + p.most + ",\"longest\":" + p.longest + ",\"bytes\":"
                + p.bytes
                + "}")
            .collect(Collectors.joining(",", "[", "]"));
        return "{\"job\":" + JsonText.string(job) + ",\"nanos\":" + total() + ",\"mpiNanos\":" + inMpi() + ",\"ranks\":" + perRank + ",\"sites\":"
            + sites
            + ",\"moreSites\":" + Math.max(0, places.size() - MOST_SITES) + ",\"lengths\":" + lengthsJson() + "}\n";
    }

    private String lengthsJson() {
        return lengths().entrySet().stream().map(l -> "{\"upTo\":" + l.getKey() + ",\"calls\":" + l.getValue() + "}")
            .collect(Collectors.joining(",", "[", "]"));
    }

    private static String escaped(final String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** Returns the report as a picture: time in MPI and outside by rank, and the call sites with most time. */
    String svg(final int sites) {
        final List<Place> shown = places.subList(0, Math.min(sites, places.size()));
        final int height = 60 + ROW * (ranks.size() + shown.size() + 3);
        final StringBuilder s = new StringBuilder();
        s.append(
            format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n", height));
        s.append(format("<rect width=\"1000\" height=\"%d\" fill=\"white\"/>%n", height));
        s.append(format("<text x=\"10\" y=\"22\" font-size=\"15\">profile of job %s: %.1f %% of the time in MPI</text>%n", escaped(job),
            percent(inMpi(), total())));
        final long longest = Math.max(1, ranks.stream().mapToLong(RankProfile::nanos).max().orElse(1));
        int y = 40;
        for (final RankProfile r : ranks) {
            final double all = (double) BAR * r.nanos() / longest;
            final double mpi = (double) BAR * Math.min(r.inMpi(), r.nanos()) / longest;
            s.append(format("<text x=\"10\" y=\"%d\">rank %d, node %s</text>", y + 12, r.rank(), escaped(r.node())));
            s.append(format("<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"13\" fill=\"#0072b2\"/>", LEFT + 40, y, all - mpi));
            s.append(format("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"13\" fill=\"#e69f00\"/>", LEFT + 40 + all - mpi, y, mpi));
            s.append(format("<text x=\"%.1f\" y=\"%d\">%.3f s, %.1f %% in MPI</text>%n", LEFT + 46 + all, y + 12, r.nanos() / NANOS,
                percent(r.inMpi(), r.nanos())));
            y += ROW;
        }
        s.append(format("<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"#0072b2\"/><text x=\"%d\" y=\"%d\">outside MPI</text>", LEFT + 40,
            y + 4, LEFT + 58, y + 15));
        s.append(
            format("<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"#e69f00\"/><text x=\"%d\" y=\"%d\">in MPI</text>%n", LEFT + 160, y + 4,
                LEFT + 178, y + 15));
        y += 2 * ROW;
        final long most = Math.max(1, shown.stream().mapToLong(Place::nanos).max().orElse(1));
        for (final Place p : shown) {
            s.append(format("<text x=\"10\" y=\"%d\">%s</text>", y + 12, escaped(p.operation)));
            s.append(
                format("<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"13\" fill=\"#e69f00\"/>", LEFT + 40, y, (double) BAR / 2 * p.nanos / most));
            s.append(format("<text x=\"%.1f\" y=\"%d\">%.1f %%, %d calls, %s</text>%n", LEFT + 46 + (double) BAR / 2 * p.nanos / most, y + 12,
                percent(p.nanos, inMpi()), p.calls, escaped(p.place)));
            y += ROW;
        }
        return s.append("</svg>\n").toString();
    }
}
