package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The functions of libucp and of the C library that the transport calls. Addresses and handles are {@code long}: whoever calls keeps the memory.
 *
 * <p>{@link #load} must have succeeded before another method is called. The library is never unloaded, since its threads and its hooks do not end.
 *
 * <p><b>Threads.</b> Safe for any thread, as far as libucp is: one thread at a time per worker.
 */
@SuppressWarnings("restricted") // load() refuses where the container denies native access
final class Ucp {
    static final int OK = 0;
    static final int IN_PROGRESS = 1;
    static final int BUSY = -15;
    /** The smallest status, as an unsigned address: what is not below is a status and no request. */
    private static final long FIRST_ERROR = -100;

    private static final int OLDEST_MAJOR = 1;
    private static final int OLDEST_MINOR = 13;
    /** The release of the interface whose structures the transport fills. */
    private static final int API_MAJOR = 1;
    private static final int API_MINOR = 13;
    /** Category {@code LC_NUMERIC} of Linux. */
    private static final int LC_NUMERIC = 1;
    private static final int TEXT_BYTES = 256;
    private static final String[] NAMES = {"libucp.so.0", "libucp.so"};
    private static final Path INFINIBAND = Path.of("/sys/class/infiniband");
    /** Names in UCX_TLS with which UCX reads the settings of InfiniBand, and does not complain of them. */
    private static final Pattern USES_INFINIBAND = Pattern.compile("\\b(all|ib|rc|dc|ud)");
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static @Nullable Version loaded;
    private static @Nullable SymbolLookup library;

    /** Release of libucp. Two processes must have the same one, since their addresses and keys have its format. */
    record Version(int major, int minor) {
        @Override
        public String toString() {
            return major + "." + minor;
        }
    }

    private Ucp() {
    }

    /**
     * Loads the library at the first call.
     *
     * @return its release
     * @throws IOException when that is not possible; the message says why and what to do
     */
    static synchronized Version load() throws IOException {
        Version known = loaded;
        if (known != null) {
            return known;
        }
        if (!Ucp.class.getModule().isNativeAccessEnabled()) {
            throw new IOException("transport ucx needs native access: start the JVM with --enable-native-access=ALL-UNNAMED");
        }
        SymbolLookup found = open();
        library = found;
        try {
            known = version(found);
            if (known.major != OLDEST_MAJOR || known.minor < OLDEST_MINOR) {
                throw new IOException("transport ucx needs UCX 1." + OLDEST_MINOR + " or a later 1.x: found " + known + ": install it, or set"
                    + " LD_LIBRARY_PATH to the folder of its libucp.so.0");
            }
            Calls.WORKER_PROGRESS.type();
        } catch (NoSuchElementException | LinkageError e) {
            throw new IOException("transport ucx cannot use libucp.so.0, which lacks a function: " + e, e);
        }
        loaded = known;
        return known;
    }

    private static SymbolLookup open() throws IOException {
        Linker linker;
        try {
            linker = Linker.nativeLinker();
            prepare(linker);
        } catch (UnsupportedOperationException | NoSuchElementException e) {
            throw new IOException("transport ucx is for Linux: use transport tcp here: " + e, e);
        }
        for (String name : NAMES) {
            try {
                return SymbolLookup.libraryLookup(name, Arena.global());
            } catch (IllegalArgumentException e) {
                continue;
            }
        }
        throw new IOException("transport ucx needs the library UCX, which is not installed: install package libucx0 (Debian, Ubuntu) or ucx (Fedora,"
            + " RHEL), or set LD_LIBRARY_PATH to the folder of its libucp.so.0");
    }

    /**
     * Sets what the library reads when it is loaded: no signal handlers, which would end the JVM; a dot in its numbers; messages to stderr. Each link
     * has a worker for one peer: the queues of a worker on InfiniBand, by default 4,095 buffers of 8 KiB and more, are made shorter.
     */
    private static void prepare(final Linker linker) {
        SymbolLookup system = linker.defaultLookup();
        MethodHandle setenv = linker.downcallHandle(system.findOrThrow("setenv"), FunctionDescriptor.of(INT, LONG, LONG, INT));
        MethodHandle setlocale = linker.downcallHandle(system.findOrThrow("setlocale"), FunctionDescriptor.of(LONG, INT, LONG));
        try (Arena arena = Arena.ofConfined()) {
            call(setenv, arena.allocateFrom("UCX_ERROR_SIGNALS").address(), arena.allocateFrom("").address(), 1);
            call(setenv, arena.allocateFrom("UCX_LOG_FILE").address(), arena.allocateFrom("stderr").address(), 0);
            if (usesInfiniband()) {
                call(setenv, arena.allocateFrom("UCX_IB_RX_QUEUE_LEN").address(), arena.allocateFrom("1024").address(), 0);
                call(setenv, arena.allocateFrom("UCX_IB_TX_BUFS_GROW").address(), arena.allocateFrom("128").address(), 0);
            }
            if ((long) setlocale.invokeExact(LC_NUMERIC, arena.allocateFrom("C").address()) == 0) {
                throw new UnsupportedOperationException("locale C is not there");
            }
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    private static boolean usesInfiniband() {
        String[] devices = INFINIBAND.toFile().list();
        String allowed = System.getenv("UCX_TLS");
        return devices != null && devices.length > 0 && (allowed == null || USES_INFINIBAND.matcher(allowed).find());
    }

    private static void call(final MethodHandle setenv, final long name, final long value, final int replaces) throws Throwable {
        if ((int) setenv.invokeExact(name, value, replaces) != 0) {
            throw new UnsupportedOperationException("the environment cannot be changed");
        }
    }

    private static Version version(final SymbolLookup found) {
        MethodHandle get = Linker.nativeLinker().downcallHandle(found.findOrThrow("ucp_get_version"), FunctionDescriptor.ofVoid(LONG, LONG, LONG));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(INT, 3);
            get.invokeExact(numbers.address(), numbers.address() + 4, numbers.address() + 8);
            return new Version(numbers.get(INT, 0), numbers.get(INT, 4));
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** The functions, whose handles are constants of the compiler. */
    private static final class Calls {
        private static final Linker LINKER = Linker.nativeLinker();
        private static final SymbolLookup SYMBOLS = symbols();

        static final MethodHandle STATUS_STRING = of("ucs_status_string", LONG, INT);
        static final MethodHandle CONFIG_READ = of("ucp_config_read", INT, LONG, LONG, LONG);
        static final MethodHandle CONFIG_MODIFY = of("ucp_config_modify", INT, LONG, LONG, LONG);
        static final MethodHandle CONFIG_RELEASE = of("ucp_config_release", null, LONG);
        static final MethodHandle INIT = of("ucp_init_version", INT, INT, INT, LONG, LONG, LONG);
        static final MethodHandle CLEANUP = of("ucp_cleanup", null, LONG);
        static final MethodHandle WORKER_CREATE = of("ucp_worker_create", INT, LONG, LONG, LONG);
        static final MethodHandle WORKER_DESTROY = of("ucp_worker_destroy", null, LONG);
        static final MethodHandle WORKER_GET_ADDRESS = of("ucp_worker_get_address", INT, LONG, LONG, LONG);
        static final MethodHandle WORKER_RELEASE_ADDRESS = of("ucp_worker_release_address", null, LONG, LONG);
        static final MethodHandle WORKER_PROGRESS = of("ucp_worker_progress", INT, LONG);
        static final MethodHandle WORKER_GET_EFD = of("ucp_worker_get_efd", INT, LONG, LONG);
        static final MethodHandle WORKER_ARM = of("ucp_worker_arm", INT, LONG);
        static final MethodHandle EP_CREATE = of("ucp_ep_create", INT, LONG, LONG, LONG);
        static final MethodHandle EP_CLOSE = of("ucp_ep_close_nbx", LONG, LONG, LONG);
        static final MethodHandle EP_FLUSH = of("ucp_ep_flush_nbx", LONG, LONG, LONG);
        static final MethodHandle MEM_MAP = of("ucp_mem_map", INT, LONG, LONG, LONG);
        static final MethodHandle MEM_UNMAP = of("ucp_mem_unmap", INT, LONG, LONG);
        static final MethodHandle RKEY_PACK = of("ucp_rkey_pack", INT, LONG, LONG, LONG, LONG);
        static final MethodHandle RKEY_BUFFER_RELEASE = of("ucp_rkey_buffer_release", null, LONG);
        static final MethodHandle RKEY_UNPACK = of("ucp_ep_rkey_unpack", INT, LONG, LONG, LONG);
        static final MethodHandle RKEY_DESTROY = of("ucp_rkey_destroy", null, LONG);
        static final MethodHandle TAG_SEND = of("ucp_tag_send_nbx", LONG, LONG, LONG, LONG, LONG, LONG);
        static final MethodHandle TAG_RECV = of("ucp_tag_recv_nbx", LONG, LONG, LONG, LONG, LONG, LONG, LONG);
        static final MethodHandle PUT = of("ucp_put_nbx", LONG, LONG, LONG, LONG, LONG, LONG, LONG);
        static final MethodHandle GET = of("ucp_get_nbx", LONG, LONG, LONG, LONG, LONG, LONG, LONG);
        static final MethodHandle ATOMIC = of("ucp_atomic_op_nbx", LONG, LONG, INT, LONG, LONG, LONG, LONG, LONG);
        static final MethodHandle REQUEST_CANCEL = of("ucp_request_cancel", null, LONG, LONG);
        static final MethodHandle REQUEST_FREE = of("ucp_request_free", null, LONG);
        // both only read the state of a request
        static final MethodHandle REQUEST_STATUS = look("ucp_request_check_status", INT, LONG);
        static final MethodHandle RECEIVE_STATUS = look("ucp_tag_recv_request_test", INT, LONG, LONG);
        static final MethodHandle ENDPOINT_INFO = of("ucp_ep_print_info", null, LONG, LONG);
        static final MethodHandle STREAM_OPEN = system("open_memstream", LONG, LONG, LONG);
        static final MethodHandle STREAM_CLOSE = system("fclose", INT, LONG);
        static final MethodHandle FREE = LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow("free"), FunctionDescriptor.ofVoid(LONG));
        static final MethodHandle EVENTFD = system("eventfd", INT, INT, INT);
        static final MethodHandle POLL = system("poll", INT, LONG, LONG, INT);
        static final MethodHandle READ = system("read", LONG, INT, LONG, LONG);
        static final MethodHandle WRITE = system("write", LONG, INT, LONG, LONG);
        static final MethodHandle CLOSE = system("close", INT, INT);

        private static SymbolLookup symbols() {
            SymbolLookup found = library;
            if (found == null) {
                throw new IllegalStateException("libucp is not loaded");
            }
            return found;
        }

        private static FunctionDescriptor descriptor(final @Nullable MemoryLayout result, final MemoryLayout... arguments) {
            return result == null ? FunctionDescriptor.ofVoid(arguments) : FunctionDescriptor.of(result, arguments);
        }

        private static MethodHandle of(final String name, final @Nullable MemoryLayout result, final MemoryLayout... arguments) {
            return LINKER.downcallHandle(SYMBOLS.findOrThrow(name), descriptor(result, arguments));
        }

        private static MethodHandle look(final String name, final MemoryLayout result, final MemoryLayout... arguments) {
            return LINKER.downcallHandle(SYMBOLS.findOrThrow(name), descriptor(result, arguments), Linker.Option.critical(false));
        }

        private static MethodHandle system(final String name, final MemoryLayout result, final MemoryLayout... arguments) {
            return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor(result, arguments));
        }
    }

    private static RuntimeException failure(final Throwable e) {
        return e instanceof RuntimeException r ? r : new IllegalStateException("a function of libucp cannot be called: " + e, e);
    }

    /** Returns whether the result of a function that may return a request is one, to be asked for its status and freed. */
    static boolean isRequest(final long result) {
        return result != 0 && Long.compareUnsigned(result, FIRST_ERROR) < 0;
    }

    /** Returns the text of a status. */
    static String text(final int status) {
        try {
            MemorySegment text = MemorySegment.ofAddress((long) Calls.STATUS_STRING.invokeExact(status)).reinterpret(TEXT_BYTES);
            return text.getString(0, StandardCharsets.US_ASCII);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_config_read} without a prefix and a file: writes the handle of the configuration. */
    static int configRead(final long handle) {
        try {
            return (int) Calls.CONFIG_READ.invokeExact(0L, 0L, handle);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_config_modify}. */
    static int configModify(final long config, final long name, final long value) {
        try {
            return (int) Calls.CONFIG_MODIFY.invokeExact(config, name, value);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_config_release}. */
    static void configRelease(final long config) {
        try {
            Calls.CONFIG_RELEASE.invokeExact(config);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_init}: writes the handle of the context. */
    static int init(final long params, final long config, final long handle) {
        try {
            return (int) Calls.INIT.invokeExact(API_MAJOR, API_MINOR, params, config, handle);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_cleanup}. */
    static void cleanup(final long context) {
        try {
            Calls.CLEANUP.invokeExact(context);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_worker_create}: writes the handle of the worker. */
    static int workerCreate(final long context, final long params, final long handle) {
        try {
            return (int) Calls.WORKER_CREATE.invokeExact(context, params, handle);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_worker_destroy}. */
    static void workerDestroy(final long worker) {
        try {
            Calls.WORKER_DESTROY.invokeExact(worker);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_worker_get_address}: writes the address of the worker's address, and its length. */
    static int workerAddress(final long worker, final long address, final long length) {
        try {
            return (int) Calls.WORKER_GET_ADDRESS.invokeExact(worker, address, length);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_worker_release_address}. */
    static void releaseAddress(final long worker, final long address) {
        try {
            Calls.WORKER_RELEASE_ADDRESS.invokeExact(worker, address);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_worker_progress}: returns 0 when there was nothing to do. May call the handler of errors. */
    static int progress(final long worker) {
        try {
            return (int) Calls.WORKER_PROGRESS.invokeExact(worker);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_worker_get_efd}: writes the descriptor. */
    static int workerDescriptor(final long worker, final long descriptor) {
        try {
            return (int) Calls.WORKER_GET_EFD.invokeExact(worker, descriptor);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_worker_arm}: returns {@link #BUSY} when there is something to do first. */
    static int arm(final long worker) {
        try {
            return (int) Calls.WORKER_ARM.invokeExact(worker);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_ep_create}: writes the handle of the endpoint. */
    static int endpointCreate(final long worker, final long params, final long handle) {
        try {
            return (int) Calls.EP_CREATE.invokeExact(worker, params, handle);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_ep_close_nbx}. */
    static long endpointClose(final long endpoint, final long params) {
        try {
            return (long) Calls.EP_CLOSE.invokeExact(endpoint, params);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_ep_flush_nbx}. */
    static long flush(final long endpoint, final long params) {
        try {
            return (long) Calls.EP_FLUSH.invokeExact(endpoint, params);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_mem_map}: writes the handle of the memory. */
    static int map(final long context, final long params, final long handle) {
        try {
            return (int) Calls.MEM_MAP.invokeExact(context, params, handle);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_mem_unmap}. */
    static int unmap(final long context, final long memory) {
        try {
            return (int) Calls.MEM_UNMAP.invokeExact(context, memory);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_rkey_pack}: writes the address of the key, and its length. */
    static int pack(final long context, final long memory, final long key, final long length) {
        try {
            return (int) Calls.RKEY_PACK.invokeExact(context, memory, key, length);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_rkey_buffer_release}. */
    static void releaseKey(final long key) {
        try {
            Calls.RKEY_BUFFER_RELEASE.invokeExact(key);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_ep_rkey_unpack}: writes the handle of the key. */
    static int unpack(final long endpoint, final long key, final long handle) {
        try {
            return (int) Calls.RKEY_UNPACK.invokeExact(endpoint, key, handle);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_rkey_destroy}. */
    static void keyDestroy(final long key) {
        try {
            Calls.RKEY_DESTROY.invokeExact(key);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_tag_send_nbx}. */
    static long send(final long endpoint, final long buffer, final long bytes, final long tag, final long params) {
        try {
            return (long) Calls.TAG_SEND.invokeExact(endpoint, buffer, bytes, tag, params);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_tag_recv_nbx} for any tag. */
    static long receive(final long worker, final long buffer, final long bytes, final long params) {
        try {
            return (long) Calls.TAG_RECV.invokeExact(worker, buffer, bytes, 0L, 0L, params);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_put_nbx}. */
    static long put(final long endpoint, final long from, final long bytes, final long to, final long key, final long params) {
        try {
            return (long) Calls.PUT.invokeExact(endpoint, from, bytes, to, key, params);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_get_nbx}. */
    static long get(final long endpoint, final long to, final long bytes, final long from, final long key, final long params) {
        try {
            return (long) Calls.GET.invokeExact(endpoint, to, bytes, from, key, params);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_atomic_op_nbx} for one value. */
    static long atomic(final long endpoint, final int operation, final long operand, final long at, final long key, final long params) {
        try {
            return (long) Calls.ATOMIC.invokeExact(endpoint, operation, operand, 1L, at, key, params);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_request_cancel}. */
    static void cancel(final long worker, final long request) {
        try {
            Calls.REQUEST_CANCEL.invokeExact(worker, request);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_request_free}. */
    static void free(final long request) {
        try {
            Calls.REQUEST_FREE.invokeExact(request);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /**
     * Returns the status of what a function returned, which is freed when it was a request that is complete.
     *
     * @param result a request, 0 or an error
     */
    static int finish(final long result) {
        if (!isRequest(result)) {
            return (int) result;
        }
        try {
            int status = (int) Calls.REQUEST_STATUS.invokeExact(result);
            if (status != IN_PROGRESS) {
                free(result);
            }
            return status;
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_tag_recv_request_test}: writes the tag and the length of what was received. Does not free the request. */
    static int received(final long request, final long info) {
        try {
            return (int) Calls.RECEIVE_STATUS.invokeExact(request, info);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code ucp_ep_print_info}: returns the lines that describe an endpoint and its devices; empty when there is no memory for them. */
    static String endpointInfo(final long endpoint) {
        try (Arena once = Arena.ofConfined()) {
            MemorySegment text = once.allocate(LONG, 2);
            long stream = (long) Calls.STREAM_OPEN.invokeExact(text.address(), text.address() + Long.BYTES);
            if (stream == 0) {
                return "";
            }
            Calls.ENDPOINT_INFO.invokeExact(endpoint, stream);
            int _ = (int) Calls.STREAM_CLOSE.invokeExact(stream);
            long lines = text.get(LONG, 0);
            String info = new String(MemorySegment.ofAddress(lines).reinterpret(text.get(LONG, Long.BYTES)).toArray(ValueLayout.JAVA_BYTE),
                StandardCharsets.UTF_8);
            Calls.FREE.invokeExact(lines);
            return info;
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code eventfd} that does not block; negative on failure. */
    static int eventDescriptor() {
        final int flags = 0x80800; // EFD_CLOEXEC and EFD_NONBLOCK
        try {
            return (int) Calls.EVENTFD.invokeExact(0, flags);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code poll}; negative on failure, which an interruption by a signal is, too. */
    static int poll(final long descriptors, final int count, final int millis) {
        try {
            return (int) Calls.POLL.invokeExact(descriptors, (long) count, millis);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code read} of 8 bytes. */
    static void read(final int descriptor, final long to) {
        try {
            long _ = (long) Calls.READ.invokeExact(descriptor, to, 8L);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code write} of 8 bytes. */
    static void write(final int descriptor, final long from) {
        try {
            long _ = (long) Calls.WRITE.invokeExact(descriptor, from, 8L);
        } catch (Throwable e) {
            throw failure(e);
        }
    }

    /** {@code close} of a descriptor. */
    static void close(final int descriptor) {
        try {
            int _ = (int) Calls.CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw failure(e);
        }
    }
}
