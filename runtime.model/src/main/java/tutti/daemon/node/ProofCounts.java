package tutti.daemon.node;

import java.util.Map;
import java.util.TreeMap;

/**
 * Numbers of calls that a node proved when jobs first planned them, since it started.
 *
 * @param proved  calls that were proved, each once
 * @param wrong   those of them with a wrong plan
 * @param micros  time that the proofs took, in microseconds
 * @param skipped plans that were not proved, by reason
 */
public record ProofCounts(long proved, long wrong, long micros, Map<String, Long> skipped) {
    /** Copies the map. */
    public ProofCounts {
        skipped = new TreeMap<>(skipped);
    }

    /** Returns the sums of both numbers. */
    public ProofCounts plus(final ProofCounts other) {
        final Map<String, Long> all = new TreeMap<>(skipped);
        other.skipped.forEach((reason, count) -> all.merge(reason, count, Long::sum));
        return new ProofCounts(proved + other.proved, wrong + other.wrong, micros + other.micros, all);
    }

    @Override
    public String toString() {
        return proved + " calls in " + micros / 1_000 + " ms, " + wrong + " wrong"
            + (skipped.isEmpty() ? ""
                : "; not proved: " + String.join(", ", skipped.entrySet().stream().map(s -> s.getValue() + " " + s.getKey()).toList()));
    }
}
