package tutti.runtime.match;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the order of matching of {@link Mailbox} with few and with many entries: random sequences of operations have the same results as a model that
 * keeps its entries in lists and searches these from the oldest.
 */
class MatchingOrderTest {
    private static final int[] CONTEXTS = {0, 1, 9};
    private static final int SOURCES = 4;

    private final Mailbox mailbox = new Mailbox();
    private final List<String> actual = new ArrayList<>();

    /** A receive or a message in the model. */
    private record Item(int id, int context, int source, long tag, MessageOperation operation) {
        boolean wants(final Item message) {
            return context == message.context && (source == Receive.ANY || source == message.source)
                && (tag == Receive.ANY || tag == message.tag);
        }
    }

    /** The model. */
    private final List<Item> posted = new ArrayList<>();
    private final List<Item> unexpected = new ArrayList<>();
    private final Set<Integer> purged = new HashSet<>();
    private final List<String> expected = new ArrayList<>();

    private static Item take(final List<Item> items, final Predicate<Item> which) {
        for (int i = 0; i < items.size(); i++) {
            if (which.test(items.get(i))) {
                return items.remove(i);
            }
        }
        return null;
    }

    private void received(final Item receive, final int message) {
        settlePurge(receive.context);
        expected.add(receive.id + " received " + message);
    }

    private void settlePurge(final int context) {
        if (purged.contains(context) && posted.stream().noneMatch(r -> r.context == context)) {
            purged.remove(context);
            expected.add("purged " + context);
        }
    }

    private void send(final int id, final int context, final int source, final long tag, final boolean synchronous) {
        final Send send = new Send();
        final Item item = new Item(id, context, source, tag, synchronous ? send : null);
        final Item receive = take(posted, r -> r.wants(item));
        if (receive == null) {
            unexpected.add(item);
        } else {
            received(receive, id);
        }
        send.arm(op -> {}, null, id);
        send.envelope(context, source, tag, Long.BYTES);
        send.message(MemorySegment.ofArray(new long[] {id}), 0, 0, synchronous);
        mailbox.submit(send);
    }

    private Receive newReceive(final int id, final long[] target) {
        final Receive receive = new Receive();
        receive.arm(op -> actual.add(id + (receive.isCancelled() ? " cancelled" : " received " + target[0])), null, id);
        receive.into(MemorySegment.ofArray(target), 0, Long.BYTES);
        return receive;
    }

    private void receive(final int id, final int context, final int source, final long tag) {
        final Receive receive = newReceive(id, new long[1]);
        final Item item = new Item(id, context, source, tag, receive);
        final Item message = take(unexpected, item::wants);
        if (message == null) {
            posted.add(item);
        } else {
            received(item, message.id);
        }
        receive.want(context, source, tag);
        mailbox.submit(receive);
    }

    private void cancelReceive(final Item receive) {
        posted.remove(receive);
        settlePurge(receive.context);
        expected.add(receive.id + " cancelled");
        mailbox.submit(new CancelItem((Receive) receive.operation));
    }

    private void cancelSend(final Item message) {
        final Send send = (Send) message.operation;
        if (send != null) {
            unexpected.remove(message);
            mailbox.submit(new CancelItem(send));
            assertTrue(send.isCancelled());
        }
    }

    private void probe(final int id, final int context, final int source, final long tag, final boolean matching) {
        final Item item = new Item(id, context, source, tag, null);
        final Item message = unexpected.stream().filter(item::wants).findFirst().orElse(null);
        final Probe probe = new Probe(context, source, tag, true, matching);
        probe.arm(op -> {}, null, id);
        mailbox.submit(probe);
        if (message == null) {
            assertFalse(probe.isFound());
            return;
        }
        assertEquals(message.source + " " + message.tag, probe.fromSource() + " " + probe.withTag());
        if (matching) {
            unexpected.remove(message);
            expected.add(id + " received " + message.id);
            final Receive receive = newReceive(id, new long[1]);
            receive.want(probe.message());
            mailbox.submit(receive);
        }
    }

    private void purge(final int context) {
        if (purged.add(context)) {
            unexpected.removeIf(m -> m.context == context);
            settlePurge(context);
            mailbox.submit(new ContextPurge(context, context + 1, () -> actual.add("purged " + context)));
        }
    }

    /** Performs random operations; for a while mostly receives are posted, then mostly messages arrive, so that both queues grow and shrink. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldMatchAsListsThatAreSearchedFromTheOldest(final int seed) {
        final Random random = new Random(seed);
        final int tags = seed % 2 == 0 ? 3 : 300;
        int largest = 0;
        for (int i = 0; i < 20_000; i++) {
            final int context = CONTEXTS[random.nextInt(CONTEXTS.length)];
            final int source = random.nextInt(SOURCES);
            final long tag = random.nextInt(tags);
            final int wanted = random.nextInt(8) == 0 ? Receive.ANY : source;
            final long wantedTag = random.nextInt(8) == 0 ? Receive.ANY : tag;
            final int choice = random.nextInt(100);
            if (choice < 80) {
                if (choice % 10 < (i / 1000 % 2 == 0 ? 7 : 3)) {
                    receive(i, context, wanted, wantedTag);
                } else {
                    send(i, context, source, tag, random.nextBoolean());
                }
            } else if (choice < 88 && !posted.isEmpty()) {
                cancelReceive(posted.get(random.nextInt(posted.size())));
            } else if (choice < 92 && !unexpected.isEmpty()) {
                cancelSend(unexpected.get(random.nextInt(unexpected.size())));
            } else if (choice < 99) {
                probe(i, context, wanted, wantedTag, choice < 96);
            } else if (random.nextInt(10) == 0) {
                purge(context);
            }
            assertEquals(expected, actual);
            expected.clear();
            actual.clear();
            largest = Math.max(largest, Math.max(posted.size(), unexpected.size()));
        }
        assertTrue(largest > 2 * MatchQueue.SCANNED, "the queues were indexed: " + largest);
    }

    @Test
    void shouldMatchThousandsOfDistinctTagsInReverse() {
        final int count = 3000;
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < count; i++) {
                receive(i, 0, i % 3 == 0 ? Receive.ANY : 1, i);
            }
            receive(count, 0, Receive.ANY, Receive.ANY);
            for (int i = count; i-- > 0;) {
                send(i, 0, 1, i, true);
            }
            send(count, 0, 2, 0, true);
            assertEquals(0, posted.size());
            for (int i = 0; i < count; i++) {
                send(i, 0, 1, i, true);
            }
            for (int i = count; i-- > 0;) {
                receive(i, 0, 1, i);
            }
            assertEquals(0, unexpected.size());
            assertEquals(expected, actual);
        }
    }
}
