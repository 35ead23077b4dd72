package tutti.runtime.match;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.process.LogLines;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * Tests that an exception in any place of a serial executor, of a work item or of a mailbox's callbacks reaches no submitter, and that the items
 * that follow run.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WorkFailureTest {
    @RegisterExtension
    private final LogLines log = new LogLines(SerialExecutor.class);

    /** Where an exception is thrown. */
    private enum Place {
        RUN, ON_FAILURE, HANDLE_SEND, SETTLE, BROKEN, TO_STRING
    }

    /** How the failing item comes to run. */
    private enum Way {
        SUBMITTED(0), TRIED(0), BEHIND_ANOTHER_ITEM(1), BY_ANOTHER_EXECUTOR(1);

        /** Number of items that are queued behind the failing one. */
        private final int followers;

        Way(final int followers) {
            this.followers = followers;
        }
    }

    /** The places where something is thrown, and which methods are called then. */
    private record Row(Throwable thrown, Set<Place> places, List<Place> calls) {}

    private static List<Row> rows() {
        final RuntimeException e = new IllegalStateException("thrown");
        return List.of(
            new Row(e, Set.of(Place.RUN), List.of(Place.RUN, Place.ON_FAILURE, Place.SETTLE)),
            new Row(new OutOfMemoryError("thrown"), Set.of(Place.RUN), List.of(Place.RUN, Place.ON_FAILURE, Place.SETTLE)),
            new Row(new StackOverflowError(), Set.of(Place.RUN), List.of(Place.RUN, Place.ON_FAILURE, Place.SETTLE)),
            new Row(new TextlessException(), Set.of(Place.RUN), List.of(Place.RUN, Place.ON_FAILURE, Place.SETTLE)),
            new Row(e, Set.of(Place.HANDLE_SEND), List.of(Place.RUN, Place.HANDLE_SEND, Place.ON_FAILURE, Place.SETTLE)),
            new Row(e, Set.of(Place.RUN, Place.ON_FAILURE), List.of(Place.RUN, Place.ON_FAILURE, Place.BROKEN, Place.SETTLE)),
            new Row(e, Set.of(Place.RUN, Place.ON_FAILURE, Place.BROKEN), List.of(Place.RUN, Place.ON_FAILURE, Place.BROKEN, Place.SETTLE)),
            new Row(e, Set.of(Place.SETTLE), List.of(Place.RUN, Place.HANDLE_SEND, Place.SETTLE, Place.BROKEN)),
            new Row(e, Set.of(Place.SETTLE, Place.BROKEN), List.of(Place.RUN, Place.HANDLE_SEND, Place.SETTLE, Place.BROKEN)),
            new Row(e, Set.of(Place.RUN, Place.ON_FAILURE, Place.TO_STRING), List.of(Place.RUN, Place.ON_FAILURE, Place.BROKEN, Place.SETTLE)),
            new Row(new TextlessException(), Set.of(Place.values()),
                List.of(Place.RUN, Place.ON_FAILURE, Place.BROKEN, Place.SETTLE, Place.BROKEN)));
    }

    static Stream<Arguments> rowsInEveryWay() {
        return rows().stream().flatMap(row -> Arrays.stream(Way.values()).map(way -> Arguments.of(row, way)));
    }

    /** An exception that cannot be described. */
    private static final class TextlessException extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no text");
        }

        @Override
        public String toString() {
            return "a" + getMessage();
        }
    }

    /** An executor that throws where the row says, with an item that does, and records the calls from the start of the item on. */
    private static final class Failing extends SendTarget {
        private final Row row;
        private final List<Place> calls = new ArrayList<>();
        private boolean armed;
        private int followers;

        Failing(final Row row) {
            this.row = row;
        }

        private void reach(final Place place) {
            if (armed) {
                calls.add(place);
                throwIn(place);
            }
        }

        private void throwIn(final Place place) {
            if (armed && row.places.contains(place)) {
                WorkFailureTest.<RuntimeException>raise(row.thrown);
            }
        }

        @Override
        protected void handleSend(final Send send) {
            reach(Place.HANDLE_SEND);
        }

        @Override
        protected void settle() {
            reach(Place.SETTLE);
        }

        @Override
        protected void broken(final Throwable why) {
            reach(Place.BROKEN);
        }

        @Override
        public String toString() {
            throwIn(Place.TO_STRING);
            return "executor";
        }

        WorkItem item() {
            return new Item(at -> {
                armed = true;
                reach(Place.RUN);
                ((SendTarget) at).handleSend(null);
            }, () -> reach(Place.ON_FAILURE));
        }

        WorkItem follower() {
            return new Item(at -> followers++, () -> {});
        }
    }

    /** A work item made of two functions. */
    private static final class Item extends WorkItem {
        private final Consumer<SerialExecutor> body;
        private final Runnable atFailure;

        Item(final Consumer<SerialExecutor> body, final Runnable atFailure) {
            this.body = body;
            this.atFailure = atFailure;
        }

        @Override
        protected void run(final SerialExecutor at) {
            body.accept(at);
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            atFailure.run();
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(final Throwable e) throws E {
        throw (E) e;
    }

    @ParameterizedTest
    @MethodSource("rowsInEveryWay")
    void shouldRunTheItemsThatFollowWhereverAnExceptionIsThrown(final Row row, final Way way) {
        final Failing at = new Failing(row);
        switch (way) {
            case SUBMITTED -> at.submit(at.item());
            case TRIED -> assertTrue(at.tryRun(at.item()));
            case BEHIND_ANOTHER_ITEM -> at.submit(new Item(owned -> byAnotherThread(() -> submitWithFollower(at)), () -> {}));
            case BY_ANOTHER_EXECUTOR -> new Mailbox().submit(new Item(other -> submitWithFollower(at), () -> {}));
        }
        assertEquals(row.calls, at.calls);
        if (row.calls.contains(Place.BROKEN) && !row.places.contains(Place.TO_STRING)) {
            log.assertLine("work failed, and nothing handled it: executor");
            if (row.places.contains(Place.BROKEN)) {
                log.assertLine("failure handler failed: executor");
            }
        }
        at.armed = false;
        assertTrue(at.tryRun(at.follower()), "nobody is the owner");
        at.submit(at.follower());
        assertEquals(way.followers + 2, at.followers);
    }

    private static void submitWithFollower(final Failing at) {
        at.submit(at.item());
        at.submit(at.follower());
    }

    private static void byAnotherThread(final Runnable task) {
        final Thread thread = Thread.ofPlatform().start(task);
        try {
            thread.join();
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final MemorySegment DATA = MemorySegment.ofArray(new byte[8]);

    private static void oops(final MessageOperation op) {
        throw new IllegalStateException("thrown");
    }

    private static Send send(final CompletionHandler handler, final MemorySegment data, final boolean synchronous) {
        final Send send = new Send();
        send.arm(handler, null, 0);
        send.envelope(0, 0, 1, data.byteSize());
        send.message(data, 0, 0, synchronous);
        return send;
    }

    private static Receive receive(final CompletionHandler handler, final MemorySegment target) {
        final Receive receive = new Receive();
        receive.arm(handler, null, 0);
        receive.want(0, 0, 1);
        receive.into(target, 0, target.byteSize());
        return receive;
    }

    private static Probe probe(final boolean once) {
        final Probe probe = new Probe(0, 0, 1, once);
        probe.arm(WorkFailureTest::oops, null, 0);
        return probe;
    }

    private static MemorySegment closed() {
        try (Arena arena = Arena.ofShared()) {
            return arena.allocate(8);
        }
    }

    /** Uses of a mailbox in which an exception is thrown. */
    private enum MailboxPlace {
        HANDLER_OF_A_SEND(m -> {
            m.submit(receive(op -> {}, DATA));
            m.submit(send(WorkFailureTest::oops, DATA, false));
        }),
        HANDLER_OF_A_COPIED_SEND(m -> {
            m.submit(send(WorkFailureTest::oops, DATA, false));
            m.submit(receive(op -> {}, DATA));
        }),
        HANDLER_OF_A_POSTED_RECEIVE(m -> {
            m.submit(receive(WorkFailureTest::oops, DATA));
            m.submit(send(op -> {}, DATA, false));
        }),
        HANDLER_OF_A_RECEIVE(m -> {
            m.submit(send(op -> {}, DATA, true));
            m.submit(receive(WorkFailureTest::oops, DATA));
        }),
        HANDLER_OF_A_PROBE(m -> m.submit(probe(true))),
        HANDLER_OF_A_WAITING_PROBE(m -> {
            m.submit(probe(false));
            m.submit(send(op -> {}, DATA, true));
            m.submit(receive(op -> {}, DATA));
        }),
        HANDLER_OF_A_CANCELLED_RECEIVE(m -> {
            final Receive receive = receive(WorkFailureTest::oops, DATA);
            m.submit(receive);
            m.submit(new CancelItem(receive));
        }),
        HANDLER_OF_A_CANCELLED_SEND(m -> {
            final Send send = send(WorkFailureTest::oops, DATA, true);
            m.submit(send);
            m.submit(new CancelItem(send));
        }),
        MEMORY_OF_A_RECEIVE(m -> {
            m.submit(receive(op -> {}, closed()));
            m.submit(send(op -> {}, DATA, false));
        }),
        MEMORY_OF_A_SEND(m -> {
            m.submit(receive(op -> {}, DATA));
            m.submit(send(op -> {}, closed(), false));
        }),
        MEMORY_OF_AN_UNEXPECTED_SEND(m -> m.submit(send(op -> {}, closed(), false))),
        CREDIT_OF_A_COPY(m -> {
            final UnexpectedMessage copy = new UnexpectedMessage(8);
            copy.copyOf(send(op -> {}, DATA, false), DATA, 0, bytes -> oops(null));
            m.submit(copy);
            m.submit(receive(op -> {}, DATA));
        }),
        CALLBACK_OF_A_PURGE(m -> m.submit(new ContextPurge(0, 8, () -> oops(null)))),
        HANDLER_OF_A_PURGED_SEND(m -> {
            m.submit(send(WorkFailureTest::oops, DATA, true));
            m.submit(new ContextPurge(0, 8));
        });

        private final Consumer<Mailbox> action;

        MailboxPlace(final Consumer<Mailbox> action) {
            this.action = action;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldMatchTheMessagesThatFollowWhateverFailsInAMailbox(final MailboxPlace place) {
        final Mailbox mailbox = new Mailbox();
        place.action.accept(mailbox);
        final List<String> completed = new ArrayList<>();
        mailbox.submit(send(op -> completed.add("copied send"), DATA, false));
        mailbox.submit(receive(op -> completed.add("receive"), DATA));
        mailbox.submit(receive(op -> completed.add("posted receive"), DATA));
        mailbox.submit(send(op -> completed.add("send"), DATA, true));
        assertEquals(List.of("copied send", "receive", "posted receive", "send"), completed);
    }
}
