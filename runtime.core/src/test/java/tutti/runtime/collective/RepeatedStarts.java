package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.request.PersistentRequest;

/** Runs collectives as persistent requests that are started several times with the same data; the answer is that of the last start. */
public final class RepeatedStarts implements Collectives.Mode<PersistentRequest> {
    private static final int TIMES = 3;

    private final Communicator comm;

    private RepeatedStarts(final Communicator comm) {
        this.comm = comm;
    }

    /** Returns the collectives of a communicator; each is complete when its request is returned. */
    public static Collectives<PersistentRequest> on(final Communicator comm) {
        return new Collectives<>(comm.engine(), new RepeatedStarts(comm));
    }

    @Override
    public <C extends Call> PersistentRequest run(final Operation<C> operation, final C call, final MessageBuffer send, final MessageBuffer recv) {
        final PersistentRequest request = comm.engine().prepare(operation, call, send, recv);
        assertTrue(request.test());
        if (recv != null) {
            recv.reload();
        }
        final byte[] before = recv == null ? new byte[0] : recv.memory().toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < TIMES; i++) {
            if (recv != null) {
                MemorySegment.copy(before, 0, recv.memory(), ValueLayout.JAVA_BYTE, 0, before.length);
                recv.store();
            }
            request.start();
            request.await();
        }
        request.free();
        return request;
    }
}
