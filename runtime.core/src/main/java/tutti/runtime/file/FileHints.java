package tutti.runtime.file;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tutti.runtime.exchange.CallExchange;

/**
 * The hints of a file that have an effect. A value that cannot be used is ignored, as the standard says.
 *
 * @param aggregators {@code cb_nodes}: number of ranks that access the file in collective calls; 0 for one of each node
 * @param bufferBytes {@code cb_buffer_size}: bytes that such a rank has at once
 * @param collects    {@code collective_buffering}: whether ranks exchange data in collective calls
 * @param sieves      {@code romio_ds_read}: whether blocks close to each other are read together
 */
record FileHints(int aggregators, long bufferBytes, boolean collects, boolean sieves) {
    /** Pages: bounds of what aggregators access are multiples of it. */
    static final long PAGE = 4096;
    private static final long DEFAULT_BUFFER = 4 << 20;
    private static final int MOST_AGGREGATORS = 1 << 20;
    private static final long MOST_BUFFER = 1 << 30;

    private static final String NODES = "cb_nodes";
    private static final String BUFFER = "cb_buffer_size";
    private static final String BUFFERING = "collective_buffering";
    private static final String SIEVING = "romio_ds_read";

    /** Returns the hints of a map. */
    static FileHints of(final Map<String, String> hints) {
        return new FileHints((int) number(hints.get(NODES), 0, MOST_AGGREGATORS),
            Math.ceilDiv(number(hints.get(BUFFER), DEFAULT_BUFFER, MOST_BUFFER), PAGE) * PAGE, !"false".equals(hints.get(BUFFERING)),
            !"disable".equals(hints.get(SIEVING)));
    }

    /** Returns the hints with what must be equal on all ranks: the first rank's, which tells the others. */
    FileHints ofFirst(final CallExchange exchange) {
        return new FileHints((int) exchange.ofFirst(aggregators), exchange.ofFirst(bufferBytes), exchange.ofFirst(collects ? 1 : 0) == 1, sieves);
    }

    private static long number(final @Nullable String value, final long otherwise, final long most) {
        if (value == null || !value.strip().matches("[0-9]{1,18}")) {
            return otherwise;
        }
        final long number = Long.parseLong(value.strip());
        return number == 0 || number > most ? otherwise : number;
    }

    /** Returns the values in use. */
    Map<String, String> inUse(final int aggregatorsInUse) {
        final Map<String, String> used = new TreeMap<>();
        used.put(NODES, Integer.toString(aggregatorsInUse));
        used.put(BUFFER, Long.toString(bufferBytes));
        used.put(BUFFERING, Boolean.toString(collects));
        used.put(SIEVING, sieves ? "automatic" : "disable");
        return used;
    }
}
