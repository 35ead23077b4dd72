package tutti.coll.tck;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The exchange between virtual ranks, each on its own thread: messages between two ranks, and values of all ranks. When a rank fails or all ranks
 * wait, all waits end with a failure.
 */
final class RankExchange {

    private static final long MESSAGE_OVERHEAD = 64;
    private static final long MAX_BYTES = 64L << 20;

    /** The key of a message queue: communicator, module, sender and receiver. */
    record MessageQueue(String channel, int module, int from, int to) {}

    /** The first failure, for which no rank can continue. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure(final String message, final @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    private static final class Round {
        private final SortedMap<Integer, Object> values = new TreeMap<>();
        private @Nullable Object result;
        private boolean complete;
    }

    private final Map<String, Round> rounds = new HashMap<>();
    private final Map<MessageQueue, Deque<byte[]>> messages = new HashMap<>();
    private long sent;
    private int present;
    private int waiting;
    private long events;
    private @Nullable Failure failure;

    RankExchange(final int ranks) {
        this.present = ranks;
    }

    /** Removes a rank that has completed. */
    synchronized void leave() {
        present--;
        failIfAllWait();
    }

    /** Reports that a rank cannot continue. The first failure is kept. */
    synchronized void fail(final String message, final @Nullable Throwable cause) {
        if (failure == null) {
            failure = new Failure(message, cause);
        }
        notifyAll();
    }

    /** Returns the first failure; null if there is none. */
    synchronized @Nullable Failure failure() {
        return failure;
    }

    private void event() {
        events++;
        waiting = 0;
        notifyAll();
    }

    private void failIfAllWait() {
        if (present > 0 && waiting == present && failure == null) {
            failure = new Failure("deadlock: every rank waits for another", null);
            notifyAll();
        }
    }

    /** Waits for a condition. A rank counts as waiting once per event, so that a wake-up without an event does not count it twice. */
    private void await(final BooleanSupplier condition) {
        long counted = -1;
        while (!condition.getAsBoolean()) {
            if (failure != null) {
                throw new IllegalStateException("another rank failed");
            }
            if (counted != events) {
                counted = events;
                waiting++;
                failIfAllWait();
            }
            if (failure == null) {
                sleep();
            }
        }
    }

    @SuppressWarnings("WaitNotInLoop") // await loops
    private void sleep() {
        try {
            wait();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    synchronized void send(final MessageQueue key, final byte[] data) {
        sent += data.length + MESSAGE_OVERHEAD;
        if (sent > MAX_BYTES) {
            throw new IllegalStateException("set-up sends too many bytes: limit=" + MAX_BYTES);
        }
        messages.computeIfAbsent(key, l -> new ArrayDeque<>()).add(data.clone());
        event();
    }

    synchronized void recv(final MessageQueue key, final byte[] into) {
        final Deque<byte[]> queue = messages.computeIfAbsent(key, l -> new ArrayDeque<>());
        await(() -> !queue.isEmpty());
        final byte[] data = queue.poll();
        if (data.length != into.length) {
            throw new IllegalStateException("message length differs: sent=" + data.length + ", expected=" + into.length);
        }
        System.arraycopy(data, 0, into, 0, data.length);
    }

    /** Returns whether there are messages that were sent and not received. */
    synchronized boolean hasUnreceived(final String channel, final int module) {
        return messages.entrySet().stream().anyMatch(e -> e.getKey().channel.equals(channel) && e.getKey().module == module
            && !e.getValue().isEmpty());
    }

    /**
     * Collects a value of every rank of a communicator, and returns to all of them the result that the last one computes.
     *
     * @param channel the name of the exchange
     * @param ranks   number of ranks
     * @param index   the rank that contributes
     * @param value   its value
     * @param end     computes the result from the values by rank
     */
    @SuppressWarnings("unchecked")
    synchronized <V, T> T exchange(final String channel, final int ranks, final int index, final V value,
        final Function<SortedMap<Integer, V>, T> end) {
        final Round round = rounds.computeIfAbsent(channel, c -> new Round());
        round.values.put(index, value);
        if (round.values.size() == ranks) {
            rounds.remove(channel);
            round.result = end.apply((SortedMap<Integer, V>) (SortedMap<Integer, ?>) round.values);
            round.complete = true;
            event();
        }
        await(() -> round.complete);
        return (T) Objects.requireNonNull(round.result, "exchange without a result");
    }
}
