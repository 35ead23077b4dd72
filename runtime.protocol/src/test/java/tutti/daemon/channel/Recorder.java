package tutti.daemon.channel;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tutti.daemon.protocol.Message;

/** Receiver that records everything a channel receives; a test reads it in order. */
public final class Recorder implements ChannelReceiver {
    private static final long LIMIT_SECONDS = 60;

    private final BlockingQueue<Received> events = new LinkedBlockingQueue<>();

    /** Received event. */
    public sealed interface Received {
        /** Control message. */
        record ControlMessage(Message message) implements Received {}

        /** Bytes of a program. */
        record Program(int file, byte[] bytes) implements Received {}

        /** Output of a rank. */
        record Output(int rank, boolean error, byte[] bytes) implements Received {}

        /** Credit for program bytes. */
        record ProgramCredit(int bytes) implements Received {}

        /** Credit for output. */
        record OutputCredit(int bytes) implements Received {}

        /** Loss of the link. */
        record Closed(String reason) implements Received {}
    }

    /** Returns the next event; fails when none is received in time. */
    public Received next() throws InterruptedException {
        final Received next = events.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(next, "nothing was received within " + LIMIT_SECONDS + " s");
        return next;
    }

    /** Returns the next event, which must be of that type. */
    public <T extends Received> T next(final Class<T> type) throws InterruptedException {
        return assertInstanceOf(type, next());
    }

    /** Returns the next event, which must be a message of that type. */
    public <T extends Message> T nextMessage(final Class<T> type) throws InterruptedException {
        return assertInstanceOf(type, next(Received.ControlMessage.class).message());
    }

    /** Returns whether all events were read. */
    public boolean isEmpty() {
        return events.isEmpty();
    }

    @Override
    public void message(final Message message) {
        events.add(new Received.ControlMessage(message));
    }

    @Override
    public void program(final int file, final byte[] bytes) {
        events.add(new Received.Program(file, bytes));
    }

    @Override
    public void output(final int rank, final boolean error, final byte[] bytes) {
        events.add(new Received.Output(rank, error, bytes));
    }

    @Override
    public void programCredit(final int bytes) {
        events.add(new Received.ProgramCredit(bytes));
    }

    @Override
    public void outputCredit(final int bytes) {
        events.add(new Received.OutputCredit(bytes));
    }

    @Override
    public void closed(final String reason) {
        events.add(new Received.Closed(reason));
    }
}
