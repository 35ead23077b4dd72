package com.example.intercept.tally;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import tutti.intercept.InterceptedCall;
import tutti.intercept.RankInterceptor;

/** Counts the calls of one rank, on all its threads. */
final class TallyOfRank implements RankInterceptor {
    private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();
    private final BiConsumer<String, byte[]> reports;

    /**
     * Begins to count.
     *
     * @param reports keeps a report, given its media type and its bytes
     */
    TallyOfRank(final BiConsumer<String, byte[]> reports) {
        this.reports = reports;
    }

    @Override
    public void after(final InterceptedCall call) {
        calls.computeIfAbsent(call.operation(), o -> new LongAdder()).increment();
    }

    /** Returns lines with an operation and a number, for the report. */
    @Override
    public byte[] end() {
        final StringBuilder lines = new StringBuilder();
        calls.forEach((operation, number) -> lines.append(operation).append(' ').append(number.sum()).append('\n'));
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void report(final List<byte[]> parts) {
        final String text = sums(parts);
        System.err.println(text);
        reports.accept("text/plain", text.getBytes(StandardCharsets.UTF_8));
    }

    static String sums(final List<byte[]> parts) {
        final Map<String, Long> sums = new TreeMap<>();
        for (final byte[] part : parts) {
            new String(part, StandardCharsets.UTF_8).lines().map(line -> line.split(" "))
                .forEach(words -> sums.merge(words[0], Long.valueOf(words[1]), Long::sum));
        }
        return "calls of " + parts.size() + " ranks: " + sums;
    }
}
