package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A context of libucp: its devices, its configuration, and the parameters of calls that all workers share.
 *
 * <p>The settings are those of UCX, which are variables of the environment, except of {@link #SETTINGS} that are not set there.
 *
 * <p><b>Threads.</b> Safe for any thread: the lock of this object guards what libucp does to the context. Workers are in a concurrent map, where the
 * handler of errors, which libucp calls, finds them.
 */
@SuppressWarnings("restricted") // Ucp.load() refuses where the container denies native access
final class UcxContext implements AutoCloseable {
    /**
     * Frames are always sent at once, since the rendezvous of 64 KiB is slow over TCP. Atomic operations are the devices' own. UCX emulates those
     * that are also atomic with the CPU's, over InfiniBand, too: {@link Devices} says why that must not be.
     */
    private static final Map<String, String> SETTINGS = Map.of("RNDV_THRESH", "inf", "ATOMIC_MODE", "device");
    private static final String PREFIX = "UCX_";

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    // ucp_params_t: field_mask u64, features u64 at 8, mt_workers_shared int at 48
    private static final long PARAMS_BYTES = 80;
    private static final long FEATURES_AND_SHARED = 1 | 1 << 5;
    private static final long TAG_RMA_ATOMICS_WAKEUP = 1 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4;

    // ucp_request_param_t: op_attr_mask u32, flags u32 at 4, datatype u64 at 24, reply_buffer at 40
    /** Length of the parameters of an operation in bytes. */
    static final long REQUEST_BYTES = 72;
    private static final int FIELD_DATATYPE = 1 << 3;
    private static final int FIELD_FLAGS = 1 << 4;
    private static final int FIELD_REPLY = 1 << 5;
    private static final int NOT_AT_ONCE = 1 << 16;
    private static final int CLOSE_FORCE = 1;

    // ucp_mem_map_params_t: field_mask u64, address at 8, length at 16
    private static final long MAP_BYTES = 40;
    private static final long ADDRESS_AND_LENGTH = 1 | 1 << 1;

    private final Ucp.Version version;
    private final boolean emulating;
    private final Arena arena = Arena.ofShared();
    private final Map<Long, Worker> workers = new ConcurrentHashMap<>();
    private final MemorySegment handle = arena.allocate(LONG);
    private final long sendParams = requestParams(0, 0);
    private final long receiveParams = requestParams(NOT_AT_ONCE, 0);
    private final long closeParams = requestParams(FIELD_FLAGS, CLOSE_FORCE);
    private final long errorHandler;
    private long lastWorker;
    private boolean closed;
    private boolean released;

    private UcxContext(final Ucp.Version version, final boolean emulating) {
        this.version = version;
        this.emulating = emulating;
        try {
            MethodHandle failed = MethodHandles.lookup().findVirtual(UcxContext.class, "failed",
                MethodType.methodType(void.class, long.class, long.class, int.class)).bindTo(this);
            errorHandler = Linker.nativeLinker().upcallStub(failed, FunctionDescriptor.ofVoid(LONG, LONG, INT), arena).address();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Opens a context, which takes a fraction of a second.
     *
     * @param emulating whether links have the access to memory that UCX emulates; false except in tests, for the reason that {@link Devices} says
     * @throws IOException when libucp cannot be used; the message says why and what to do
     */
    static UcxContext open(final boolean emulating) throws IOException {
        UcxContext context = new UcxContext(Ucp.load(), emulating);
        boolean isOpen = false;
        try {
            context.init();
            isOpen = true;
        } finally {
            if (!isOpen) {
                context.arena.close();
            }
        }
        return context;
    }

    private void init() throws IOException {
        try (Arena once = Arena.ofConfined()) {
            MemorySegment config = once.allocate(LONG);
            check(Ucp.configRead(config.address()));
            try {
                for (Map.Entry<String, String> setting : SETTINGS.entrySet()) {
                    if (System.getenv(PREFIX + setting.getKey()) == null) {
                        check(Ucp.configModify(config.get(LONG, 0), once.allocateFrom(setting.getKey()).address(),
                            once.allocateFrom(setting.getValue()).address()));
                    }
                }
                MemorySegment params = once.allocate(PARAMS_BYTES, Long.BYTES);
                params.set(LONG, 0, FEATURES_AND_SHARED);
                params.set(LONG, 8, TAG_RMA_ATOMICS_WAKEUP);
                params.set(INT, 48, 1);
                check(Ucp.init(params.address(), config.get(LONG, 0), handle.address()));
            } finally {
                Ucp.configRelease(config.get(LONG, 0));
            }
        }
    }

    private static void check(final int status) throws IOException {
        if (status != Ucp.OK) {
            throw new IOException("transport ucx finds no device that it may use: " + Ucp.text(status)
                + ": see the messages of UCX on stderr, and the variables UCX_TLS and UCX_NET_DEVICES of this process");
        }
    }

    private long requestParams(final int mask, final int flags) {
        MemorySegment params = arena.allocate(REQUEST_BYTES, Long.BYTES);
        params.set(INT, 0, mask);
        params.set(INT, 4, flags);
        return params.address();
    }

    /** Writes the parameters of an atomic operation, whose value before is written to {@code reply}. */
    static void setAtomicParams(final MemorySegment memory, final long at, final int bytes, final long reply) {
        memory.set(INT, at, FIELD_DATATYPE | FIELD_REPLY);
        memory.set(LONG, at + 24, (long) bytes << 3);
        memory.set(LONG, at + 40, reply);
    }

    Ucp.Version version() {
        return version;
    }

    /** Returns whether links have the access to memory that UCX emulates. */
    boolean isEmulating() {
        return emulating;
    }

    long handle() {
        return handle.get(LONG, 0);
    }

    /** Returns the parameters of operations that have none. */
    long sendParams() {
        return sendParams;
    }

    /** Returns the parameters of receives, which are requests also when the message is there already. */
    long receiveParams() {
        return receiveParams;
    }

    /** Returns the parameters by which an endpoint is closed without its peer. */
    long closeParams() {
        return closeParams;
    }

    /** Returns the address of the function that libucp calls when an endpoint has failed. */
    long errorHandler() {
        return errorHandler;
    }

    /** Called by libucp within the progress of a worker. */
    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // libucp calls it by a handle, with the endpoint
    private void failed(final long worker, final long endpoint, final int status) {
        Worker of = workers.get(worker);
        if (of != null) {
            of.endpointFailed(status);
        }
    }

    /**
     * Creates a worker of libucp.
     *
     * @param params parameters of the worker
     * @param into   receives the handle
     * @return the number by which the handler of errors finds it
     */
    synchronized long register(final Worker worker, final long params, final long into) throws IOException {
        checkOpen();
        int status = Ucp.workerCreate(handle(), params, into);
        if (status != Ucp.OK) {
            throw new IOException("UCX cannot create a worker: " + Ucp.text(status) + ": see its messages on stderr, and ulimit -n and -l");
        }
        lastWorker++;
        workers.put(lastWorker, worker);
        return lastWorker;
    }

    /** Destroys a worker. */
    synchronized void unregister(final long number, final long worker) {
        Ucp.workerDestroy(worker);
        workers.remove(number);
        if (closed) {
            release();
        }
    }

    /** Registers memory with the devices. Returns its handle. */
    synchronized long map(final long address, final long bytes) throws IOException {
        checkOpen();
        try (Arena once = Arena.ofConfined()) {
            MemorySegment params = once.allocate(MAP_BYTES, Long.BYTES);
            params.set(LONG, 0, ADDRESS_AND_LENGTH);
            params.set(LONG, 8, address);
            params.set(LONG, 16, bytes);
            MemorySegment into = once.allocate(LONG);
            int status = Ucp.map(handle(), params.address(), into.address());
            if (status != Ucp.OK) {
                throw new IOException("UCX cannot register memory: bytes=" + bytes + ", reason=" + Ucp.text(status) + ": look at ulimit -l");
            }
            return into.get(LONG, 0);
        }
    }

    /** Returns the key of registered memory, in libucp's format. */
    synchronized byte[] pack(final long memory) throws IOException {
        checkOpen();
        try (Arena once = Arena.ofConfined()) {
            MemorySegment into = once.allocate(LONG, 2);
            int status = Ucp.pack(handle(), memory, into.address(), into.address() + Long.BYTES);
            if (status != Ucp.OK) {
                throw new IOException("UCX has no key for the memory: " + Ucp.text(status));
            }
            try {
                return MemorySegment.ofAddress(into.get(LONG, 0)).reinterpret(into.get(LONG, Long.BYTES)).toArray(ValueLayout.JAVA_BYTE);
            } finally {
                Ucp.releaseKey(into.get(LONG, 0));
            }
        }
    }

    /** Ends the registration of memory. */
    synchronized void unmap(final long memory) {
        if (!released) {
            Ucp.unmap(handle(), memory);
        }
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("transport is closed");
        }
    }

    /** Closes the context, at the latest when its last worker is destroyed. Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        release();
    }

    private void release() {
        if (!released && workers.isEmpty()) {
            released = true;
            Ucp.cleanup(handle());
            arena.close();
        }
    }
}
