package tutti.daemon.channel;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Listener that records why channels were closed; a test waits for it. */
public final class Recorder implements ControlChannel.CloseListener {
    private static final long LIMIT_SECONDS = 60;

    private final BlockingQueue<String> reasons = new LinkedBlockingQueue<>();

    /** Waits until a channel is closed and returns the reason, each once; fails when none is in time. */
    public String awaitClosed() throws InterruptedException {
        final String reason = reasons.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(reason, "not closed within " + LIMIT_SECONDS + " s");
        return reason;
    }

    /** Returns whether all reasons were read. */
    public boolean isEmpty() {
        return reasons.isEmpty();
    }

    @Override
    public void closed(final String reason) {
        reasons.add(reason);
    }
}
