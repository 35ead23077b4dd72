package tutti.coll.tck;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Where the ranks of virtual communicators wait for each other, each on a thread of its own: for messages, and for all to say something.
 * As soon as one fails, or all wait, nobody waits any longer.
 */
final class RankExchange {

    private static final long OVERHEAD = 64;
    private static final long MOST = 64L << 20;

    /** Where messages wait: on what, from whom to whom. */
    record MessageQueue(String channel, int module, int from, int to) { }

    /** Why nothing can go on, with the rank that it began with. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure(final String message, final Throwable cause) {
            super(message, cause);
        }
    }

    private static final class Round {
        private final SortedMap<Integer, Object> said = new TreeMap<>();
        private Object result;
        private boolean over;
    }

    private final Map<String, Round> rounds = new HashMap<>();
    private final Map<MessageQueue, Deque<byte[]>> messages = new HashMap<>();
    private long sent;
    private int present;
    private int waiting;
    private Failure failure;

    RankExchange(final int ranks) {
        this.present = ranks;
    }

    /** A rank has nothing more to say. */
    synchronized void leave() {
        present--;
        changed(false);
        notifyAll();
    }

    /** A rank cannot go on. The first one counts. */
    synchronized void fail(final String message, final Throwable cause) {
        if (failure == null) {
            failure = new Failure(message, cause);
        }
        notifyAll();
    }

    synchronized Failure failure() {
        return failure;
    }

    private void changed(final boolean event) {
        if (event) {
            waiting = 0;
            notifyAll();
        } else if (present > 0 && waiting == present && failure == null) {
            failure = new Failure("ranks wait for each other for ever", null);
            notifyAll();
        }
    }

    private void await(final BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (failure != null) {
                throw new IllegalStateException("another rank failed before it came here");
            }
            waiting++;
            changed(false);
            if (failure == null) {
                sleep();
            }
        }
    }

    private void sleep() {
        try {
            wait();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    synchronized void send(final MessageQueue lane, final byte[] data) {
        sent += data.length + OVERHEAD;
        if (sent > MOST) {
            throw new IllegalStateException("too much is sent while modules are set up: limit=" + MOST);
        }
        messages.computeIfAbsent(lane, l -> new ArrayDeque<>()).add(data.clone());
        changed(true);
    }

    synchronized void recv(final MessageQueue lane, final byte[] into) {
        final Deque<byte[]> queue = messages.computeIfAbsent(lane, l -> new ArrayDeque<>());
        await(() -> !queue.isEmpty());
        final byte[] data = queue.poll();
        if (data.length != into.length) {
            throw new IllegalStateException("another length was sent: sent=" + data.length + ", expected=" + into.length);
        }
        System.arraycopy(data, 0, into, 0, data.length);
    }

    /** Whether somebody sent what nobody received. */
    synchronized boolean isAnythingLeft(final String channel, final int module) {
        return messages.entrySet().stream().anyMatch(e -> e.getKey().channel.equals(channel) && e.getKey().module == module
            && !e.getValue().isEmpty());
    }

    /**
     * All ranks of a communicator say something, and all get what the last makes of it.
     *
     * @param ranks how many they are
     * @param place who speaks
     */
    @SuppressWarnings("unchecked")
    synchronized <V, T> T meet(final String channel, final int ranks, final int place, final V value, final Function<SortedMap<Integer, V>, T> end) {
        final Round round = rounds.computeIfAbsent(channel, c -> new Round());
        round.said.put(place, value);
        if (round.said.size() == ranks) {
            rounds.remove(channel);
            round.result = end.apply((SortedMap<Integer, V>) (SortedMap<Integer, ?>) round.said);
            round.over = true;
            changed(true);
        }
        await(() -> round.over);
        return (T) round.result;
    }
}
