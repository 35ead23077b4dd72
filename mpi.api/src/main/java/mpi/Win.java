package mpi;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.UserMemory;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.window.Window;

/**
 * A window: memory of each rank of a communicator that the other ranks read, write and combine, while the rank takes no part.
 *
 * <p>Accesses are made in epochs: between two calls of {@link #fence}, from {@link #start} to {@link #complete} to ranks that call {@link #post} and
 * {@link #waitFor}, or from {@link #lock} to {@link #unlock}. Buffers of an access may be used when the epoch has ended, after a flush, or when the
 * request of the access is complete. An access to a rank of the same JVM is made at once; on other nodes the thread that reads the links makes it,
 * so a target that computes, or sleeps, holds up nobody. All accesses by accumulates are atomic, element by element.
 *
 * <p>Displacements at a target are in units of its window. Buffers are direct or have an array, which Open MPI's bindings do not take; so is the
 * memory of a window. What others write is there for the program when the epoch has ended.
 *
 * <p>Threads may call as the rank's thread level allows; one thread at a time begins and ends epochs. Errors invoke the window's error handler, at
 * first {@code MPI.ERRORS_ARE_FATAL}, with a communicator that has the window's name; if it returns, the call throws the {@link MPIException}.
 */
public final class Win implements Freeable, AutoCloseable {
    /** The number of no window, in Open MPI's bindings. */
    public static final int WIN_NULL = 0;
    /** Flavor of memory that {@link #Win(int, int, Info, Comm, Buffer, int)} allocates: for each rank alone. */
    public static final int FLAVOR_PRIVATE = 0;
    /** The same: all ranks, which must be on one host, access the memory as their own. */
    public static final int FLAVOR_SHARED = 1;

    private final Window handle;
    /** On which errors are raised: it has the window's name and error handler. */
    private final Intracomm raiser;
    private final Attributes<Win> attributes = new Attributes<>(this);
    private final @Nullable Buffer base;
    private Info info;

    /**
     * Creates a window of the program's memory. All ranks of the communicator must call it.
     *
     * @param base     the memory, from its start on; its elements are the units of {@code size} and {@code dispUnit}
     * @param size     number of elements
     * @param dispUnit unit of displacements, in elements
     * @param info     hints, which are kept
     * @param comm     an intracommunicator
     */
    public Win(final Buffer base, final int size, final int dispUnit, final Info info, final Comm comm) throws MPIException {
        this(comm, info, base, () -> Window.create(comm.handle, () -> first(base, size), (long) dispUnit * elementBytes(base)));
    }

    /** Returns the memory of the first elements of a buffer. */
    private static MemorySegment first(final Buffer buffer, final int size) {
        final MemorySegment memory = UserMemory.of(buffer);
        final int each = elementBytes(buffer);
        if (size < 0 || (long) size * each > memory.byteSize()) {
            throw new MpiFailure(ErrorClass.SIZE, "size out of range: size=" + size + ", range=0.." + memory.byteSize() / each);
        }
        return memory.asSlice(0, (long) size * each);
    }

    /**
     * Creates a window that allocates its memory. All ranks of the communicator must call it. {@link #getBuffer} and {@link #getMemory} return it.
     *
     * @param size     number of elements
     * @param dispUnit unit of displacements, in elements
     * @param info     hints, which are kept
     * @param comm     an intracommunicator
     * @param base     a buffer whose elements are the units, of which nothing else is used; null for bytes
     * @param flavor   {@link #FLAVOR_PRIVATE} or {@link #FLAVOR_SHARED}
     */
    public Win(final int size, final int dispUnit, final Info info, final Comm comm, final @Nullable Buffer base, final int flavor)
        throws MPIException {
        this(comm, info, null, () -> {
            final int each = base == null ? 1 : elementBytes(base);
            final long bytes = (long) size * each;
            final long unit = (long) dispUnit * each;
            return switch (flavor) {
                case FLAVOR_PRIVATE -> Window.allocate(comm.handle, bytes, unit);
                case FLAVOR_SHARED -> Window.allocateShared(comm.handle, bytes, unit);
                default -> throw new MpiFailure(ErrorClass.ARG, "flavor out of range: flavor=" + flavor + ", range=0..1");
            };
        });
    }

    /**
     * Creates a window without memory, which ranks {@link #attach} and {@link #detach}; displacements are addresses, see {@link #address}. All ranks
     * of the communicator must call it.
     */
    public Win(final Info info, final Comm comm) throws MPIException {
        this(comm, info, null, () -> Window.dynamic(comm.handle));
    }

    /**
     * Creates a window of a memory segment, which may be longer than 2 GiB. All ranks of the communicator must call it. Not in Open MPI's bindings.
     *
     * @param memory   the memory
     * @param dispUnit unit of displacements, in bytes
     */
    public Win(final MemorySegment memory, final int dispUnit, final Info info, final Comm comm) throws MPIException {
        this(comm, info, null, () -> Window.create(comm.handle, () -> UserMemory.of(memory), dispUnit));
    }

    private Win(final Comm comm, final Info info, final @Nullable Buffer base, final Creation creation) throws MPIException {
        if (comm == null) {
            throw ErrorHandling.error(MPI.ERR_COMM, "communicator is null");
        }
        comm.checkUsable();
        if (info == null) {
            throw comm.raise(MPI.ERR_INFO, "info is null");
        }
        try {
            this.handle = creation.create();
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
        this.base = base;
        this.info = info.clone();
        this.raiser = new Intracomm(handle.communicator(), "MPI_WIN");
    }

    /** Creates the window of the runtime. */
    private interface Creation {
        Window create();
    }

    private static int elementBytes(final Buffer buffer) {
        return switch (buffer) {
            case ByteBuffer b -> 1;
            case CharBuffer b -> Character.BYTES;
            case ShortBuffer b -> Short.BYTES;
            case IntBuffer b -> Integer.BYTES;
            case FloatBuffer b -> Float.BYTES;
            case LongBuffer b -> Long.BYTES;
            case DoubleBuffer b -> Double.BYTES;
            case null, default -> 1; // refused where its memory is needed
        };
    }

    /** Returns the communicator on which errors are raised. */
    Intracomm raiser() {
        return raiser;
    }

    private MPIException raise(final MpiFailure failure) {
        return ErrorHandling.on(handle.isFreed() ? Bindings.of(handle.communicator().owner()).world() : raiser, failure);
    }

    /** Refuses a call before Init or after Finalize; the runtime refuses one on a window that was freed. */
    private void checkInit() throws MPIException {
        InitState.check(handle.communicator().owner());
    }

    private void checkUsable() throws MPIException {
        checkInit();
        try {
            handle.checkUsable();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Attaches direct memory to a window that was created without any: {@code size} elements of the buffer. */
    public void attach(final Buffer buffer, final int size) throws MPIException {
        checkUsable();
        try {
            handle.attach(first(buffer, size));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Detaches memory that was attached. */
    public void detach(final Buffer buffer) throws MPIException {
        checkUsable();
        try {
            handle.detach(UserMemory.of(buffer));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns the address of direct memory, which is a displacement in a window without memory. Not in Open MPI's bindings. */
    public static long address(final Buffer buffer) {
        return MemorySegment.ofBuffer(buffer.duplicate().clear()).address();
    }

    /** Returns the group of the window's ranks. Local. */
    public Group getGroup() throws MPIException {
        checkUsable();
        return raiser.getGroup();
    }

    /** Returns this rank's memory as a byte buffer in native order; memory beyond 2 GiB needs {@link #getMemory}. Not in Open MPI's bindings. */
    public ByteBuffer getBuffer() throws MPIException {
        checkUsable();
        try {
            return handle.memory().asByteBuffer().order(ByteOrder.nativeOrder());
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns this rank's memory. Not in Open MPI's bindings. */
    public MemorySegment getMemory() throws MPIException {
        checkUsable();
        try {
            return handle.memory();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Returns the memory of a rank of a window with shared memory; for {@code MPI.PROC_NULL} that of the first rank that has any. Not in Open MPI's
     * bindings.
     */
    public MemorySegment sharedQuery(final int rank) throws MPIException {
        checkUsable();
        try {
            return handle.shared(rank);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns the unit of displacements in the memory of a rank, in bytes. Not in Open MPI's bindings. */
    public int getDispUnit(final int rank) throws MPIException {
        checkUsable();
        try {
            return handle.dispUnit(rank);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Writes elements to the memory of a rank.
     *
     * @param origin      holds the elements
     * @param originCount number of elements
     * @param originType  their datatype
     * @param targetRank  the rank, or {@code MPI.PROC_NULL}
     * @param targetDisp  displacement of the first element, in units of the target's window
     * @param targetCount number of elements there
     * @param targetType  their datatype
     */
    public void put(final Buffer origin, final int originCount, final Datatype originType, final int targetRank, final int targetDisp,
        final int targetCount, final Datatype targetType) throws MPIException {
        put((Object) origin, originCount, originType, targetRank, targetDisp, targetCount, targetType);
    }

    /** Writes elements as {@code put} of a buffer does; arrays and memory segments too. Not in Open MPI's bindings. */
    public void put(final Object origin, final long originCount, final Datatype originType, final int targetRank, final long targetDisp,
        final long targetCount, final Datatype targetType) throws MPIException {
        checkInit();
        try {
            handle.put(origin, originCount, Datatype.of(originType), targetRank, targetDisp, targetCount, Datatype.of(targetType));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Writes elements as {@code put} does; the request is complete when the buffer may be used. */
    public Request rPut(final Buffer origin, final int originCount, final Datatype originType, final int targetRank, final int targetDisp,
        final int targetCount, final Datatype targetType) throws MPIException {
        return rPut((Object) origin, originCount, originType, targetRank, targetDisp, targetCount, targetType);
    }

    /** Writes elements as {@code rPut} of a buffer does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request rPut(final Object origin, final long originCount, final Datatype originType, final int targetRank, final long targetDisp,
        final long targetCount, final Datatype targetType) throws MPIException {
        checkInit();
        try {
            return request(handle.rput(origin, originCount, Datatype.of(originType), targetRank, targetDisp, targetCount, Datatype.of(targetType)));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private Request request(final tutti.runtime.request.Request started) {
        return raiser.request(started);
    }

    /** Reads elements of the memory of a rank; arguments as for {@link #put(Buffer, int, Datatype, int, int, int, Datatype)}. */
    public void get(final Buffer origin, final int originCount, final Datatype originType, final int targetRank, final int targetDisp,
        final int targetCount, final Datatype targetType) throws MPIException {
        get((Object) origin, originCount, originType, targetRank, targetDisp, targetCount, targetType);
    }

    /** Reads elements as {@code get} of a buffer does; arrays and memory segments too. Not in Open MPI's bindings. */
    public void get(final Object origin, final long originCount, final Datatype originType, final int targetRank, final long targetDisp,
        final long targetCount, final Datatype targetType) throws MPIException {
        checkInit();
        try {
            handle.get(origin, originCount, Datatype.of(originType), targetRank, targetDisp, targetCount, Datatype.of(targetType));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Reads elements as {@code get} does; the request is complete when they are there. */
    public Request rGet(final Buffer origin, final int originCount, final Datatype originType, final int targetRank, final int targetDisp,
        final int targetCount, final Datatype targetType) throws MPIException {
        return rGet((Object) origin, originCount, originType, targetRank, targetDisp, targetCount, targetType);
    }

    /** Reads elements as {@code rGet} of a buffer does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request rGet(final Object origin, final long originCount, final Datatype originType, final int targetRank, final long targetDisp,
        final long targetCount, final Datatype targetType) throws MPIException {
        checkInit();
        try {
            return request(handle.rget(origin, originCount, Datatype.of(originType), targetRank, targetDisp, targetCount, Datatype.of(targetType)));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Combines elements with those in the memory of a rank by a predefined operation; arguments as for {@code put}. */
    public void accumulate(final Buffer origin, final int originCount, final Datatype originType, final int targetRank, final int targetDisp,
        final int targetCount, final Datatype targetType, final Op op) throws MPIException {
        accumulate((Object) origin, originCount, originType, targetRank, targetDisp, targetCount, targetType, op);
    }

    /** Combines elements as {@code accumulate} of a buffer does; arrays and memory segments too. Not in Open MPI's bindings. */
    public void accumulate(final Object origin, final long originCount, final Datatype originType, final int targetRank, final long targetDisp,
        final long targetCount, final Datatype targetType, final Op op) throws MPIException {
        checkInit();
        try {
            handle.accumulate(origin, originCount, Datatype.of(originType), targetRank, targetDisp, targetCount, Datatype.of(targetType),
                Op.of(op, targetType));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Combines elements as {@code accumulate} does; the request is complete when the buffer may be used. */
    public Request rAccumulate(final Buffer origin, final int originCount, final Datatype originType, final int targetRank, final int targetDisp,
        final int targetCount, final Datatype targetType, final Op op) throws MPIException {
        return rAccumulate((Object) origin, originCount, originType, targetRank, targetDisp, targetCount, targetType, op);
    }

    /** Combines elements as {@code rAccumulate} of a buffer does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request rAccumulate(final Object origin, final long originCount, final Datatype originType, final int targetRank, final long targetDisp,
        final long targetCount, final Datatype targetType, final Op op) throws MPIException {
        checkInit();
        try {
            return request(handle.raccumulate(origin, originCount, Datatype.of(originType), targetRank, targetDisp, targetCount,
                Datatype.of(targetType), Op.of(op, targetType)));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Combines elements as {@code accumulate} does, and reads those that were there before, in one atomic step for each element. */
    public void getAccumulate(final @Nullable Buffer origin, final int originCount, final Datatype originType, final Buffer resultAddr,
        final int resultCount, final Datatype resultType, final int targetRank, final int targetDisp, final int targetCount,
        final Datatype targetType, final Op op) throws MPIException {
        getAccumulate((Object) origin, originCount, originType, resultAddr, resultCount, resultType, targetRank, targetDisp, targetCount, targetType,
            op);
    }

    /** Combines and reads elements as {@code getAccumulate} of a buffer does; arrays and memory segments too. Not in Open MPI's bindings. */
    public void getAccumulate(final @Nullable Object origin, final long originCount, final Datatype originType, final Object resultAddr,
        final long resultCount, final Datatype resultType, final int targetRank, final long targetDisp, final long targetCount,
        final Datatype targetType, final Op op) throws MPIException {
        checkInit();
        try {
            handle.getAccumulate(origin, originCount, Datatype.of(originType), resultAddr, resultCount, Datatype.of(resultType), targetRank,
                targetDisp, targetCount, Datatype.of(targetType), Op.of(op, targetType));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Combines and reads elements as {@link #getAccumulate} does; the request is complete when the elements are there. */
    public Request rGetAccumulate(final @Nullable Buffer origin, final int originCount, final Datatype originType, final Buffer resultAddr,
        final int resultCount, final Datatype resultType, final int targetRank, final int targetDisp, final int targetCount,
        final Datatype targetType, final Op op) throws MPIException {
        return rGetAccumulate((Object) origin, originCount, originType, resultAddr, resultCount, resultType, targetRank, targetDisp, targetCount,
            targetType,
            op);
    }

    /** Combines and reads elements as {@code rGetAccumulate} of a buffer does; arrays and memory segments too. Not in Open MPI's bindings. */
    public Request rGetAccumulate(final @Nullable Object origin, final long originCount, final Datatype originType, final Object resultAddr,
        final long resultCount, final Datatype resultType, final int targetRank, final long targetDisp, final long targetCount,
        final Datatype targetType, final Op op) throws MPIException {
        checkInit();
        try {
            return request(handle.getAccumulate(origin, originCount, Datatype.of(originType), resultAddr, resultCount, Datatype.of(resultType),
                targetRank, targetDisp, targetCount, Datatype.of(targetType), Op.of(op, targetType)));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Combines one element of a predefined datatype, and reads what was there before, in one atomic step. */
    public void fetchAndOp(final Buffer origin, final Buffer resultAddr, final Datatype dataType, final int targetRank, final int targetDisp,
        final Op op) throws MPIException {
        fetchAndOp((Object) origin, resultAddr, dataType, targetRank, targetDisp, op);
    }

    /** Combines an element as {@code fetchAndOp} of a buffer does; arrays and memory segments too. Not in Open MPI's bindings. */
    public void fetchAndOp(final Object origin, final Object resultAddr, final Datatype dataType, final int targetRank, final long targetDisp,
        final Op op) throws MPIException {
        checkInit();
        try {
            handle.fetchAndOp(origin, resultAddr, Datatype.of(dataType), targetRank, targetDisp, Op.of(op, dataType));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Replaces an element of a predefined datatype if it is equal to another one, and reads what was there before, in one atomic step. */
    public void compareAndSwap(final Buffer origin, final Buffer compareAddr, final Buffer resultAddr, final Datatype targetType,
        final int targetRank, final int targetDisp) throws MPIException {
        compareAndSwap((Object) origin, compareAddr, resultAddr, targetType, targetRank, targetDisp);
    }

    /** Replaces an element as {@code compareAndSwap} of a buffer does; arrays and memory segments too. Not in Open MPI's bindings. */
    public void compareAndSwap(final Object origin, final Object compareAddr, final Object resultAddr, final Datatype targetType,
        final int targetRank, final long targetDisp) throws MPIException {
        checkInit();
        try {
            handle.compareAndSwap(origin, compareAddr, resultAddr, Datatype.of(targetType), targetRank, targetDisp);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Ends an epoch and begins the next one: the accesses of all ranks have taken effect. All ranks of the window must call it.
     *
     * @param assertion 0, or a sum of {@code MPI.MODE_NOSTORE}, {@code MODE_NOPUT}, {@code MODE_NOPRECEDE} and {@code MODE_NOSUCCEED}
     */
    public void fence(final int assertion) throws MPIException {
        checkInit();
        try {
            handle.fence(assertion);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Begins to access the memory of some ranks; waits until each has called {@link #post}.
     *
     * @param assertion 0 or {@code MPI.MODE_NOCHECK}
     */
    public void start(final Group group, final int assertion) throws MPIException {
        checkInit();
        try {
            handle.start(Group.of(group), assertion);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Ends the accesses that {@link #start} began: they have taken effect. */
    public void complete() throws MPIException {
        checkInit();
        try {
            handle.complete();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Lets some ranks access this rank's memory; does not wait.
     *
     * @param assertion 0, or a sum of {@code MPI.MODE_NOCHECK}, {@code MODE_NOSTORE} and {@code MODE_NOPUT}
     */
    public void post(final Group group, final int assertion) throws MPIException {
        checkInit();
        try {
            handle.post(Group.of(group), assertion);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Waits until the ranks that this one let access its memory have completed their accesses. */
    public void waitFor() throws MPIException {
        checkInit();
        try {
            handle.await();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns whether these ranks have completed their accesses. If so, the epoch has ended, as by {@link #waitFor}. */
    public boolean test() throws MPIException {
        checkInit();
        try {
            return handle.test();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Begins to access the memory of a rank.
     *
     * @param lockType  {@code MPI.LOCK_EXCLUSIVE} to access it alone, or {@code MPI.LOCK_SHARED}
     * @param assertion 0 or {@code MPI.MODE_NOCHECK}
     */
    public void lock(final int lockType, final int rank, final int assertion) throws MPIException {
        checkUsable();
        try {
            if (lockType != MPI.LOCK_EXCLUSIVE && lockType != MPI.LOCK_SHARED) {
                throw new MpiFailure(ErrorClass.LOCKTYPE, "type of lock out of range: type=" + lockType
                    + ", use MPI.LOCK_EXCLUSIVE or MPI.LOCK_SHARED");
            }
            handle.lock(lockType == MPI.LOCK_EXCLUSIVE, rank, assertion);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Ends the accesses to the memory of a rank: they have taken effect. */
    public void unlock(final int rank) throws MPIException {
        checkInit();
        try {
            handle.unlock(rank);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Begins to access the memory of all ranks, by a shared lock of each. Not collective. */
    public void lockAll(final int assertion) throws MPIException {
        checkInit();
        try {
            handle.lockAll(assertion);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Ends the accesses that {@link #lockAll} began: they have taken effect. */
    public void unlockAll() throws MPIException {
        checkInit();
        try {
            handle.unlockAll();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Makes what others wrote to this rank's memory there for its reads, and what it wrote there for others. */
    public void sync() throws MPIException {
        checkInit();
        try {
            handle.sync();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Completes the accesses to a rank that this one has locked: they have taken effect. */
    public void flush(final int rank) throws MPIException {
        checkInit();
        try {
            handle.flush(rank);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Completes the accesses to all ranks that this one has locked. */
    public void flushAll() throws MPIException {
        checkInit();
        try {
            handle.flushAll();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Waits until the buffers of the accesses to a rank may be used. */
    public void flushLocal(final int rank) throws MPIException {
        checkInit();
        try {
            handle.flushLocal(rank);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Waits until the buffers of all accesses may be used. */
    public void flushLocalAll() throws MPIException {
        checkInit();
        try {
            handle.flushLocalAll();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Sets the error handler. */
    public void setErrhandler(final Errhandler errhandler) throws MPIException {
        checkUsable();
        raiser.setErrhandler(errhandler);
    }

    /** Returns the error handler. */
    public Errhandler getErrhandler() throws MPIException {
        checkUsable();
        return raiser.getErrhandler();
    }

    /** Invokes the error handler for an error code. */
    public void callErrhandler(final int errorCode) throws MPIException {
        checkUsable();
        raiser.callErrhandler(errorCode);
    }

    /** Creates an attribute key for windows. */
    public static int createKeyval() throws MPIException {
        return createKeyval(null);
    }

    /** Creates an attribute key for windows; the callback runs before an attribute is removed, null for none. Not in Open MPI's bindings. */
    public static int createKeyval(final @Nullable AttributeDelete<? super Win> delete) throws MPIException {
        return Keyvals.ofCaller().create(Win.class, null, delete);
    }

    /** Frees an attribute key. Attributes that have it stay. */
    public static void freeKeyval(final int keyval) throws MPIException {
        Keyvals.ofCaller().free(Win.class, keyval);
    }

    /** Sets an attribute; an existing value of the key is deleted first. */
    public void setAttr(final int keyval, final @Nullable Object value) throws MPIException {
        checkUsable();
        final Keyvals keyvals = Keyvals.of(handle.communicator().owner());
        attributes.set(checked(keyvals, keyvals.findUsable(Win.class, keyval), keyval), value);
    }

    /**
     * Returns an attribute; null if it is not set. {@code MPI.WIN_BASE} is the buffer of the constructor, or that of {@link #getBuffer},
     * {@code MPI.WIN_SIZE} the bytes as a {@code Long}, {@code MPI.WIN_DISP_UNIT} the unit in bytes.
     */
    public @Nullable Object getAttr(final int keyval) throws MPIException {
        checkUsable();
        return switch (keyval) {
            case MPI.WIN_BASE -> base != null ? base : getBuffer();
            case MPI.WIN_SIZE -> handle.memory().byteSize();
            case MPI.WIN_DISP_UNIT -> handle.dispUnit();
            default -> attributes.get(key(keyval));
        };
    }

    /** Deletes an attribute, if it is set. */
    public void deleteAttr(final int keyval) throws MPIException {
        checkUsable();
        attributes.delete(key(keyval));
    }

    private Keyvals.Keyval key(final int keyval) throws MPIException {
        final Keyvals keyvals = Keyvals.of(handle.communicator().owner());
        return checked(keyvals, keyvals.find(Win.class, keyval), keyval);
    }

    private Keyvals.Keyval checked(final Keyvals keyvals, final Keyvals.@Nullable Keyval found, final int keyval) throws MPIException {
        if (found == null) {
            throw raiser.raise(MPI.ERR_KEYVAL, keyvals.problem(Win.class, keyval));
        }
        return found;
    }

    /** Frees the window and its attributes. All ranks of the window must call it; no epoch may be open, but that of a fence. */
    @Override
    public void free() throws MPIException {
        checkUsable();
        attributes.clear();
        checkUsable();
        try {
            handle.free();
        } catch (final MpiFailure e) {
            throw ErrorHandling.on(raiser, e); // freed, but an access had failed
        }
    }

    /** Frees the window as {@link #free} does; does nothing if it was freed. Not in Open MPI's bindings. */
    @Override
    public void close() throws MPIException {
        if (!isNull()) {
            free();
        }
    }

    /** Returns whether the window was freed. Not in Open MPI's bindings. */
    public boolean isNull() {
        return handle.isFreed();
    }

    /** Sets hints; those that {@code hints} does not have keep their values. */
    public void setInfo(final Info hints) throws MPIException {
        checkUsable();
        if (hints == null || hints.isNull()) {
            throw raiser.raise(MPI.ERR_INFO, "info is null");
        }
        final Info merged = info.isNull() ? new Info() : info.dup();
        for (final Map.Entry<String, String> hint : hints.toMap().entrySet()) {
            merged.set(hint.getKey(), hint.getValue());
        }
        info = merged;
    }

    /** Returns a copy of the hints. */
    public Info getInfo() throws MPIException {
        checkUsable();
        return info.isNull() ? new Info() : info.dup();
    }

    /** Returns the name; empty if none was set. */
    public String getName() throws MPIException {
        checkUsable();
        final String name = raiser.getName();
        return name.equals("MPI_WIN") ? "" : name;
    }

    /** Sets the name, which errors have. */
    public void setName(final String name) throws MPIException {
        checkUsable();
        raiser.setName(name);
    }
}
