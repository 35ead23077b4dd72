package tutti.daemon.protocol;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Receiver that records everything a channel receives; a test reads it in order. */
public final class Recorder implements ChannelReceiver {
    private static final long PATIENCE_SECONDS = 20;

    private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();

    /** Received event. */
    public sealed interface Heard {
        /** Control message. */
        record Told(Message message) implements Heard { }

        /** Bytes of a program. */
        record Program(int file, byte[] bytes) implements Heard { }

        /** Output of a rank. */
        record Printed(int rank, boolean error, byte[] bytes) implements Heard { }

        /** Credit for program bytes. */
        record ProgramCredit(int bytes) implements Heard { }

        /** Credit for output. */
        record OutputCredit(int bytes) implements Heard { }

        /** Loss of the link. */
        record Closed(String reason) implements Heard { }
    }

    /** Returns the next event; fails when none is received in time. */
    public Heard next() throws InterruptedException {
        final Heard next = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertNotNull(next, "nothing was received within " + PATIENCE_SECONDS + " s");
        return next;
    }

    /** Returns the next event, which must be of that type. */
    public <T extends Heard> T next(final Class<T> type) throws InterruptedException {
        return assertInstanceOf(type, next());
    }

    /** Returns the next event, which must be a message of that type. */
    public <T extends Message> T told(final Class<T> type) throws InterruptedException {
        return assertInstanceOf(type, next(Heard.Told.class).message());
    }

    /** Returns whether all events were read. */
    public boolean isEmpty() {
        return heard.isEmpty();
    }

    @Override
    public void message(final Message message) {
        heard.add(new Heard.Told(message));
    }

    @Override
    public void program(final int file, final byte[] bytes) {
        heard.add(new Heard.Program(file, bytes));
    }

    @Override
    public void output(final int rank, final boolean error, final byte[] bytes) {
        heard.add(new Heard.Printed(rank, error, bytes));
    }

    @Override
    public void programCredit(final int bytes) {
        heard.add(new Heard.ProgramCredit(bytes));
    }

    @Override
    public void outputCredit(final int bytes) {
        heard.add(new Heard.OutputCredit(bytes));
    }

    @Override
    public void closed(final String reason) {
        heard.add(new Heard.Closed(reason));
    }
}
