package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A worker of libucp with one endpoint: the devices' queues of one link.
 *
 * <p><b>Threads.</b> One at a time: after {@link #connect}, the one that has the link's lock. {@link #descriptor} never changes.
 */
final class Worker {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    // ucp_worker_params_t: field_mask u64, thread_mode int at 8, flags u64 at 168
    private static final long PARAMS_BYTES = 200;
    private static final long THREADS_AND_FLAGS = 1 | 1 << 5;
    private static final int ONE_THREAD_AT_A_TIME = 1;
    private static final long IGNORE_REQUESTS_LEFT = 1;

    // ucp_ep_params_t: field_mask u64, address at 8, err_mode int at 16, err_handler.cb at 24, err_handler.arg at 32
    private static final long ENDPOINT_BYTES = 104;
    private static final long ADDRESS_AND_ERRORS = 1 | 1 << 1 | 1 << 2;
    private static final int ERRORS_OF_PEER = 1;

    private static final long CLOSE_NANOS = 200_000_000;

    private final UcxContext context;
    private final long number;
    private final long handle;
    private final int descriptor;
    private long endpoint;
    private int failure;

    /** Creates a worker without an endpoint. */
    Worker(final UcxContext context) throws IOException {
        this.context = context;
        try (Arena once = Arena.ofConfined()) {
            MemorySegment params = once.allocate(PARAMS_BYTES, Long.BYTES);
            params.set(LONG, 0, THREADS_AND_FLAGS);
            params.set(INT, 8, ONE_THREAD_AT_A_TIME);
            params.set(LONG, 168, IGNORE_REQUESTS_LEFT);
            MemorySegment into = once.allocate(LONG);
            number = context.register(this, params.address(), into.address());
            handle = into.get(LONG, 0);
            int status = Ucp.workerDescriptor(handle, into.address());
            if (status != Ucp.OK) {
                context.unregister(number, handle);
                throw new IOException("UCX has no device that wakes threads: " + Ucp.text(status) + ": look at the variable UCX_TLS");
            }
            descriptor = into.get(INT, 0);
        }
    }

    /** Returns the address by which a peer connects to this worker. */
    byte[] address() throws IOException {
        try (Arena once = Arena.ofConfined()) {
            MemorySegment into = once.allocate(LONG, 2);
            int status = Ucp.workerAddress(handle, into.address(), into.address() + Long.BYTES);
            if (status != Ucp.OK) {
                throw new IOException("UCX has no address for a worker: " + Ucp.text(status));
            }
            try {
                return bytes(into.get(LONG, 0), into.get(LONG, Long.BYTES));
            } finally {
                Ucp.releaseAddress(handle, into.get(LONG, 0));
            }
        }
    }

    @SuppressWarnings("restricted") // Ucp.load() refuses where the container denies native access
    private static byte[] bytes(final long address, final long length) {
        return MemorySegment.ofAddress(address).reinterpret(length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Creates the endpoint, by the address of the peer's worker. */
    void connect(final byte[] address) throws IOException {
        try (Arena once = Arena.ofConfined()) {
            MemorySegment params = once.allocate(ENDPOINT_BYTES, Long.BYTES);
            params.set(LONG, 0, ADDRESS_AND_ERRORS);
            params.set(LONG, 8, once.allocateFrom(ValueLayout.JAVA_BYTE, address).address());
            params.set(INT, 16, ERRORS_OF_PEER);
            params.set(LONG, 24, context.errorHandler());
            params.set(LONG, 32, number);
            MemorySegment into = once.allocate(LONG);
            int status = Ucp.endpointCreate(handle, params.address(), into.address());
            if (status != Ucp.OK) {
                throw new IOException("UCX cannot reach the peer's devices: " + Ucp.text(status)
                    + ": give both nodes devices of one fabric: look at the variables UCX_TLS and UCX_NET_DEVICES");
            }
            endpoint = into.get(LONG, 0);
        }
    }

    /** Stores that the endpoint has failed. Called within {@link #progress}. */
    void endpointFailed(final int status) {
        failure = status;
    }

    /** Returns why the endpoint has failed; null when it has not. */
    @Nullable
    String failure() {
        return failure == Ucp.OK ? null : Ucp.text(failure);
    }

    long handle() {
        return handle;
    }

    long endpoint() {
        return endpoint;
    }

    /** Returns the descriptor that is readable when there is something to do, once the worker is {@linkplain #arm armed}. */
    int descriptor() {
        return descriptor;
    }

    /** Receives and sends what can be now; returns whether there was something. */
    boolean progress() {
        return Ucp.progress(handle) != 0;
    }

    /** Makes the descriptor readable at the next event; returns {@link Ucp#BUSY} when there is one already. */
    int arm() {
        return Ucp.arm(handle);
    }

    /** Returns the devices that UCX has chosen for the endpoint. */
    Devices devices() {
        Devices found = Devices.parse(Ucp.endpointInfo(endpoint));
        return context.isEmulating() ? found.emulating() : found;
    }

    /** Closes the endpoint without its peer, and waits until UCX has ended its operations; returns false when it has not after some time. */
    boolean closeEndpoint(final BooleanSupplier isIdle) {
        long closing = endpoint == 0 ? 0 : Ucp.endpointClose(endpoint, context.closeParams());
        boolean isClosed = !Ucp.isRequest(closing);
        boolean isSettled = isClosed && isIdle.getAsBoolean();
        long begin = System.nanoTime();
        while (!isSettled && System.nanoTime() - begin < CLOSE_NANOS) {
            if (!progress()) {
                Thread.onSpinWait();
            }
            isClosed = isClosed || Ucp.finish(closing) != Ucp.IN_PROGRESS;
            isSettled = isClosed && isIdle.getAsBoolean();
        }
        if (!isClosed) {
            Ucp.free(closing);
        }
        endpoint = 0;
        return isSettled;
    }

    /** Destroys the worker, after which UCX accesses no memory of the link. */
    void destroy() {
        context.unregister(number, handle);
    }
}
