package tutti.interceptors;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tutti.intercept.InterceptedCall;
import tutti.intercept.InterceptedRank;
import tutti.intercept.NestedCollective;
import tutti.intercept.RankInterceptor;

/** Measures the calls of one rank. The lock of this object guards all state, since threads of a program call at the same time. */
final class ProfiledRank implements RankInterceptor {
    private final InterceptedRank rank;
    private final ProfileParameters parameters;
    private final Map<Key, Sum> sites = new HashMap<>();
    private final Map<List<String>, Sum> nested = new HashMap<>();
    private final SortedMap<Long, Long> lengths = new TreeMap<>();
    private boolean isOn = true;
    private long since = System.nanoTime();
    private long measured;

    private record Key(String operation, StackTraceElement place) {}

    /** Sums of the calls at one place. */
    private static final class Sum {
        private long calls;
        private long nanos;
        private long longest;
        private long bytes;
    }

    ProfiledRank(final InterceptedRank rank) {
        this.rank = rank;
        this.parameters = rank.job().parameters(ProfileParameters.PID, ProfileParameters.class);
    }

    @Override
    public void after(final InterceptedCall call) {
        final Key key = new Key(call.operation(), call.site());
        final long bytes = call.bytes();
        synchronized (this) {
            if (!isOn || call.operation().equals("pControl")) {
                return;
            }
            final Sum sum = sites.computeIfAbsent(key, k -> new Sum());
            sum.calls++;
            sum.nanos += call.nanos();
            sum.longest = Math.max(sum.longest, call.nanos());
            sum.bytes += bytes;
            if (bytes > 0) {
                lengths.merge(bytes == 1 ? 1 : Long.highestOneBit(bytes - 1) << 1, 1L, Long::sum);
            }
        }
    }

    /** Counts the collective as a place of its own, without time: what its tasks take is part of the outer call. */
    @Override
    public synchronized void nested(final NestedCollective collective) {
        if (isOn) {
            final Sum sum =
                nested.computeIfAbsent(List.of(collective.outer() + " > " + collective.operation(), collective.communicator()), k -> new Sum());
            sum.calls++;
            sum.bytes += collective.bytes();
        }
    }

    @Override
    public synchronized void control(final int level, final @Nullable Object argument) {
        final long now = System.nanoTime();
        if (level == 0 && isOn) {
            measured += now - since;
            isOn = false;
        } else if (level > 0 && !isOn) {
            since = now;
            isOn = true;
        }
    }

    @Override
    public synchronized byte[] end() {
        control(0, null);
        final List<RankProfile.Site> all = new ArrayList<>();
        nested.forEach((key, sum) -> all.add(new RankProfile.Site(key.getFirst(), key.getLast(), sum.calls, 0, 0, sum.bytes)));
        sites.entrySet().stream().map(s -> new RankProfile.Site(s.getKey().operation(), place(s.getKey().place()),
            s.getValue().calls, s.getValue().nanos, s.getValue().longest, s.getValue().bytes)).forEach(all::add);
        return new RankProfile(rank.rank(), rank.node(), measured, all, lengths).toBytes();
    }

    private static String place(final StackTraceElement at) {
        return at.getClassName() + "." + at.getMethodName() + ":" + at.getLineNumber();
    }

    @Override
    public void report(final List<byte[]> parts) {
        final ProfileReport report = new ProfileReport(rank.job().id(), parts.stream().filter(p -> p.length > 0).map(RankProfile::of).toList());
        final String text = switch (parameters.format()) {
            case "json" -> report.json();
            case "svg" -> report.svg(parameters.sites());
            default -> report.text(parameters.sites());
        };
        try {
            write(text);
        } finally {
            rank.keepReport("application/json", report.summary().getBytes(StandardCharsets.UTF_8));
        }
    }

    private void write(final String text) {
        if (parameters.file().isEmpty()) {
            System.err.print(text);
            return;
        }
        try {
            Files.write(Path.of(parameters.file()), text.getBytes(StandardCharsets.UTF_8));
        } catch (final IOException e) {
            throw new UncheckedIOException("profile cannot be written: node=" + rank.node() + ", file=" + parameters.file() + ": " + e.getMessage(),
                e);
        }
    }
}
