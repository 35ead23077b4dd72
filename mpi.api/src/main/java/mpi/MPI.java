package mpi;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.AttachedBuffer;

/**
 * The entry point of programs: initialization and finalization, the predefined communicators, operations, datatypes and constants.
 *
 * <p>Every rank has a class MPI of its own. Programs are run by {@code tutti run}; otherwise the initialization of this class fails with a
 * message. The clock, the versions, {@link #isInitialized} and {@link #isFinalized} may be used at any time, all else between {@link #Init} and
 * {@link #Finalize} only.
 */
public final class MPI {
    private static final Bindings RANK = bindings();
    /** Alignment of new buffers in bytes. */
    private static final int BUFFER_ALIGNMENT = 64;

    /** The communicator of all ranks of the job. */
    public static final Intracomm COMM_WORLD = RANK.world();
    /** The communicator of the calling rank alone. */
    public static final Intracomm COMM_SELF = RANK.self();

    // Predefined operations
    public static final Op MAX = RANK.op("MAX");
    public static final Op MIN = RANK.op("MIN");
    public static final Op SUM = RANK.op("SUM");
    public static final Op PROD = RANK.op("PROD");
    public static final Op LAND = RANK.op("LAND");
    public static final Op BAND = RANK.op("BAND");
    public static final Op LOR = RANK.op("LOR");
    public static final Op BOR = RANK.op("BOR");
    public static final Op LXOR = RANK.op("LXOR");
    public static final Op BXOR = RANK.op("BXOR");
    public static final Op REPLACE = RANK.op("REPLACE");
    public static final Op NO_OP = RANK.op("NO_OP");
    public static final Op MINLOC = RANK.op("MINLOC");
    public static final Op MAXLOC = RANK.op("MAXLOC");

    // Predefined datatypes
    public static final Datatype DATATYPE_NULL = RANK.datatype("NULL");
    public static final Datatype BYTE = RANK.datatype("BYTE");
    public static final Datatype CHAR = RANK.datatype("CHAR");
    public static final Datatype SHORT = RANK.datatype("SHORT");
    public static final Datatype BOOLEAN = RANK.datatype("BOOLEAN");
    public static final Datatype INT = RANK.datatype("INT");
    public static final Datatype LONG = RANK.datatype("LONG");
    public static final Datatype FLOAT = RANK.datatype("FLOAT");
    public static final Datatype DOUBLE = RANK.datatype("DOUBLE");
    public static final Datatype PACKED = RANK.datatype("PACKED");
    public static final Datatype FLOAT_COMPLEX = RANK.datatype("FLOAT_COMPLEX");
    public static final Datatype DOUBLE_COMPLEX = RANK.datatype("DOUBLE_COMPLEX");

    // Structures of a value and an index, and their datatypes
    public static final Int2 int2 = RANK.int2();
    public static final ShortInt shortInt = RANK.shortInt();
    public static final LongInt longInt = RANK.longInt();
    public static final FloatInt floatInt = RANK.floatInt();
    public static final DoubleInt doubleInt = RANK.doubleInt();
    public static final Datatype INT2 = RANK.datatype(int2);
    public static final Datatype SHORT_INT = RANK.datatype(shortInt);
    public static final Datatype LONG_INT = RANK.datatype(longInt);
    public static final Datatype FLOAT_INT = RANK.datatype(floatInt);
    public static final Datatype DOUBLE_INT = RANK.datatype(doubleInt);

    // Null objects and others
    public static final Request REQUEST_NULL = RANK.nullRequest();
    public static final Group GROUP_EMPTY = RANK.emptyGroup();
    /**
     * How the program was started: {@code command} is its main class, {@code argv} its arguments with blanks between them, {@code maxprocs} and
     * {@code soft} the number of ranks, {@code host} the host's name, {@code arch} and {@code wdir} architecture and working directory of the node,
     * {@code file} the jars and folders on the node that hold the program, and {@code thread_level} the level that Init required.
     */
    public static final Info INFO_ENV = RANK.environment();
    public static final Info INFO_NULL = RANK.nullInfo();

    // Predefined error handlers
    public static final Errhandler ERRORS_ARE_FATAL = RANK.errhandler("ERRORS_ARE_FATAL");
    public static final Errhandler ERRORS_ABORT = RANK.errhandler("ERRORS_ABORT");
    public static final Errhandler ERRORS_RETURN = RANK.errhandler("ERRORS_RETURN");

    // Constants from here on: the shared classes have their values, copied by the compiler, and must not refer to this class otherwise

    // Thread levels
    public static final int THREAD_SINGLE = 0;
    public static final int THREAD_FUNNELED = 1;
    public static final int THREAD_SERIALIZED = 2;
    public static final int THREAD_MULTIPLE = 3;

    // Topologies
    public static final int GRAPH = 2;
    public static final int DIST_GRAPH = 3;
    public static final int CART = 1;

    // Wildcards and special ranks
    public static final int ANY_SOURCE = Reserved.ANY_SOURCE;
    public static final int ANY_TAG = Reserved.ANY_TAG;
    public static final int PROC_NULL = Reserved.PROC_NULL;
    public static final int ROOT = Reserved.ROOT;
    public static final int UNDEFINED = -32766;

    // Results of comparisons
    public static final int IDENT = 0;
    public static final int CONGRUENT = 1;
    public static final int SIMILAR = 2;
    public static final int UNEQUAL = 3;

    // Keys of predefined attributes
    public static final int TAG_UB = 0;
    public static final int HOST = 1;
    public static final int IO = 2;
    public static final int WTIME_IS_GLOBAL = 3;
    public static final int APPNUM = 4;
    public static final int LASTUSEDCODE = 5;
    public static final int UNIVERSE_SIZE = 6;
    public static final int WIN_BASE = 7;
    public static final int WIN_SIZE = 8;
    public static final int WIN_DISP_UNIT = 9;
    public static final int KEYVAL_INVALID = -1;

    // The version of the standard
    public static final int VERSION = 3;
    public static final int SUBVERSION = 1;

    // Limits
    public static final int BSEND_OVERHEAD = AttachedBuffer.OVERHEAD;
    public static final int MAX_OBJECT_NAME = 64;
    public static final int MAX_PORT_NAME = 1024;
    public static final int MAX_DATAREP_STRING = 128;
    public static final int MAX_ERROR_STRING = 256;
    public static final int MAX_INFO_KEY = 36;
    public static final int MAX_INFO_VAL = 256;

    // Distributed arrays
    public static final int ORDER_C = 0;
    public static final int ORDER_FORTRAN = 1;
    public static final int DISTRIBUTE_BLOCK = 0;
    public static final int DISTRIBUTE_CYCLIC = 1;
    public static final int DISTRIBUTE_NONE = 2;
    public static final int DISTRIBUTE_DFLT_DARG = -1;

    // Files
    public static final int MODE_CREATE = 1;
    public static final int MODE_RDONLY = 2;
    public static final int MODE_WRONLY = 4;
    public static final int MODE_RDWR = 8;
    public static final int MODE_DELETE_ON_CLOSE = 16;
    public static final int MODE_UNIQUE_OPEN = 32;
    public static final int MODE_EXCL = 64;
    public static final int MODE_APPEND = 128;
    public static final int MODE_SEQUENTIAL = 256;
    public static final int DISPLACEMENT_CURRENT = -54278278;
    public static final int SEEK_SET = 600;
    public static final int SEEK_CUR = 602;
    public static final int SEEK_END = 604;

    // Windows
    public static final int MODE_NOCHECK = 1;
    public static final int MODE_NOPRECEDE = 2;
    public static final int MODE_NOPUT = 4;
    public static final int MODE_NOSTORE = 8;
    public static final int MODE_NOSUCCEED = 16;
    public static final int LOCK_EXCLUSIVE = 1;
    public static final int LOCK_SHARED = 2;

    // Error classes
    public static final int SUCCESS = 0;
    public static final int ERR_BUFFER = 1;
    public static final int ERR_COUNT = 2;
    public static final int ERR_TYPE = 3;
    public static final int ERR_TAG = 4;
    public static final int ERR_COMM = 5;
    public static final int ERR_RANK = 6;
    public static final int ERR_REQUEST = 7;
    public static final int ERR_ROOT = 8;
    public static final int ERR_GROUP = 9;
    public static final int ERR_OP = 10;
    public static final int ERR_TOPOLOGY = 11;
    public static final int ERR_DIMS = 12;
    public static final int ERR_ARG = 13;
    public static final int ERR_UNKNOWN = 14;
    public static final int ERR_TRUNCATE = 15;
    public static final int ERR_OTHER = 16;
    public static final int ERR_INTERN = 17;
    public static final int ERR_IN_STATUS = 18;
    public static final int ERR_PENDING = 19;
    public static final int ERR_ACCESS = 20;
    public static final int ERR_AMODE = 21;
    public static final int ERR_ASSERT = 22;
    public static final int ERR_BAD_FILE = 23;
    public static final int ERR_BASE = 24;
    public static final int ERR_CONVERSION = 25;
    public static final int ERR_DISP = 26;
    public static final int ERR_DUP_DATAREP = 27;
    public static final int ERR_FILE_EXISTS = 28;
    public static final int ERR_FILE_IN_USE = 29;
    public static final int ERR_FILE = 30;
    public static final int ERR_INFO_KEY = 31;
    public static final int ERR_INFO_NOKEY = 32;
    public static final int ERR_INFO_VALUE = 33;
    public static final int ERR_INFO = 34;
    public static final int ERR_IO = 35;
    public static final int ERR_KEYVAL = 36;
    public static final int ERR_LOCKTYPE = 37;
    public static final int ERR_NAME = 38;
    public static final int ERR_NO_MEM = 39;
    public static final int ERR_NOT_SAME = 40;
    public static final int ERR_NO_SPACE = 41;
    public static final int ERR_NO_SUCH_FILE = 42;
    public static final int ERR_PORT = 43;
    public static final int ERR_QUOTA = 44;
    public static final int ERR_READ_ONLY = 45;
    public static final int ERR_RMA_CONFLICT = 46;
    public static final int ERR_RMA_SYNC = 47;
    public static final int ERR_SERVICE = 48;
    public static final int ERR_SIZE = 49;
    public static final int ERR_SPAWN = 50;
    public static final int ERR_UNSUPPORTED_DATAREP = 51;
    public static final int ERR_UNSUPPORTED_OPERATION = 52;
    public static final int ERR_WIN = 53;
    /** Memory that is not part of the window. Not in Open MPI's bindings, nor are the next three. */
    public static final int ERR_RMA_RANGE = 68;
    /** Memory that cannot be attached to a window, or is not attached. */
    public static final int ERR_RMA_ATTACH = 69;
    /** A call that a window of another flavor has. */
    public static final int ERR_RMA_FLAVOR = 70;
    /** Memory that the ranks cannot share. */
    public static final int ERR_RMA_SHARED = 71;
    public static final int ERR_PROC_ABORTED = 74;
    /** A rank that the call needs has failed: {@link ProcessFailedException}. Not in Open MPI's bindings, nor are the next two. */
    public static final int ERR_PROC_FAILED = 75;
    /** A rank that could have sent the message has failed, and the request is still active: {@link ProcessFailedException}. */
    public static final int ERR_PROC_FAILED_PENDING = 76;
    /** The communicator has been revoked: {@link RevokedException}. */
    public static final int ERR_REVOKED = 77;
    public static final int ERR_LASTCODE = 92;
    public static final int ERR_SYSRESOURCE = -2;

    /** Not to be used: all members are static. */
    public MPI() {}

    /**
     * Initializes MPI. Every thread may call, also at the same time: the thread level is {@link #THREAD_MULTIPLE}, or the highest one that all
     * modules of the job support, which {@link #queryThread} returns. With the job's parameter {@code check.threads=on} it is
     * {@link #THREAD_SINGLE}.
     *
     * @param args arguments of the program; may be null
     * @return the arguments; an empty array if {@code args} is null
     */
    public static String[] Init(final String @Nullable [] args) throws MPIException {
        RANK.init();
        return args == null ? new String[0] : args;
    }

    /**
     * Initializes MPI with a thread level. Modules that do not support it serve no communicator. With the job's parameter
     * {@code check.threads=on}, calls that it does not permit are refused.
     *
     * @param args     ignored; may be null
     * @param required {@link #THREAD_SINGLE}, {@link #THREAD_FUNNELED}, {@link #THREAD_SERIALIZED} or {@link #THREAD_MULTIPLE}
     * @return the level that is provided, which is the required one
     */
    public static int InitThread(final String @Nullable [] args, final int required) throws MPIException {
        return RANK.init(required);
    }

    /** Returns the thread level. */
    public static int queryThread() throws MPIException {
        return RANK.threadLevel();
    }

    /** Returns whether the calling thread is the one that called Init. */
    public static boolean isThreadMain() throws MPIException {
        return RANK.isMainThread();
    }

    /**
     * Returns how many ranks had the place of this one before: 0 for a rank with which the job has begun, and more for one that takes the place of a
     * rank that has failed, by {@link Comm#replace}. Not in Open MPI's bindings.
     */
    public static int getIncarnation() throws MPIException {
        return RANK.incarnation();
    }

    /**
     * Finalizes MPI. Waits for all ranks of the job that live, also for those that have taken the places of others, and for buffered messages.
     */
    public static void Finalize() throws MPIException {
        RANK.finish();
    }

    /** Returns whether Init was called. */
    public static boolean isInitialized() throws MPIException {
        return RANK.isInitialized();
    }

    /** Returns whether Finalize was called. */
    public static boolean isFinalized() throws MPIException {
        return RANK.isFinalized();
    }

    /** Adds an error class; it is known to this rank only. Not in Open MPI's bindings. */
    public static int addErrorClass() throws MPIException {
        return RANK.addErrorClass();
    }

    /** Adds an error code to an error class. Not in Open MPI's bindings. */
    public static int addErrorCode(final int errorClass) throws MPIException {
        return RANK.addErrorCode(errorClass);
    }

    /** Associates a text with an error class or code that the program added. Not in Open MPI's bindings. */
    public static void addErrorString(final int errorCode, final String text) throws MPIException {
        RANK.addErrorString(errorCode, text);
    }

    /** Returns the text of an error code: {@code MPI_ERR_RANK: invalid rank} for example, or the program's text. Not in Open MPI's bindings. */
    public static String getErrorString(final int errorCode) throws MPIException {
        return RANK.errorString(errorCode);
    }

    /** Returns the class of an error code. Not in Open MPI's bindings. */
    public static int getErrorClass(final int errorCode) throws MPIException {
        return RANK.errorClass(errorCode);
    }

    /** Returns the elapsed seconds since some time in the past. Differences are meaningful within a node only. */
    public static double wtime() throws MPIException {
        return System.nanoTime() * 1e-9;
    }

    /** Returns the resolution of {@link #wtime} in seconds. */
    public static double wtick() throws MPIException {
        return 1e-9;
    }

    /** Returns the version of the standard. */
    public static Version getVersion() {
        return RANK.version(VERSION, SUBVERSION);
    }

    /** Returns the name and version of this library. */
    public static String getLibVersion() {
        return RANK.library();
    }

    /** Returns the name of the host on which the rank runs. Several nodes may be on one host. */
    public static String getProcessorName() throws MPIException {
        return RANK.hostName();
    }

    /** Returns the name of the node on which the rank runs, as {@code tutti info} lists it. Not in Open MPI's bindings. */
    public static String getNodeName() throws MPIException {
        return RANK.nodeName();
    }

    /**
     * Attaches a buffer for buffered sends of more than 8 KiB. Each pending message takes its bytes and {@link #BSEND_OVERHEAD} of it; a message for
     * which there is not enough space is an error. Shorter messages need none, as long as those that have not left this rank take no more than 1 MiB.
     */
    public static void attachBuffer(final byte[] buffer) throws MPIException {
        RANK.attach(buffer);
    }

    /** Waits until all messages have left the buffer, detaches the buffer and returns it. {@link #Finalize} detaches it, too. */
    public static byte[] detachBuffer() throws MPIException {
        return RANK.detach();
    }

    /**
     * Controls the interceptors of the job, if it has any: by convention level 0 turns profiling off, 1 on. Without them it has no effect. The object
     * may be null.
     */
    public static void pControl(final int level, final @Nullable Object obj) {
        // the calls of a job with interceptors lead to them
    }

    /** Allocates a direct buffer in native byte order, which begins at a multiple of 64 bytes: the size of a cache line. Its bytes are 0. */
    public static ByteBuffer newByteBuffer(final int capacity) {
        return Arena.ofAuto().allocate(capacity, BUFFER_ALIGNMENT).asByteBuffer().order(ByteOrder.nativeOrder());
    }

    /** Allocates a direct buffer of chars in native byte order, aligned as by {@link #newByteBuffer}. */
    public static CharBuffer newCharBuffer(final int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Character.BYTES)).asCharBuffer();
    }

    /** Allocates a direct buffer of shorts in native byte order, aligned as by {@link #newByteBuffer}. */
    public static ShortBuffer newShortBuffer(final int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Short.BYTES)).asShortBuffer();
    }

    /** Allocates a direct buffer of ints in native byte order, aligned as by {@link #newByteBuffer}. */
    public static IntBuffer newIntBuffer(final int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Integer.BYTES)).asIntBuffer();
    }

    /** Allocates a direct buffer of longs in native byte order, aligned as by {@link #newByteBuffer}. */
    public static LongBuffer newLongBuffer(final int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Long.BYTES)).asLongBuffer();
    }

    /** Allocates a direct buffer of floats in native byte order, aligned as by {@link #newByteBuffer}. */
    public static FloatBuffer newFloatBuffer(final int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Float.BYTES)).asFloatBuffer();
    }

    /** Allocates a direct buffer of doubles in native byte order, aligned as by {@link #newByteBuffer}. */
    public static DoubleBuffer newDoubleBuffer(final int capacity) {
        return newByteBuffer(Math.multiplyExact(capacity, Double.BYTES)).asDoubleBuffer();
    }

    /** Returns the part of a buffer that begins at an element offset; its position and limit are ignored. */
    public static ByteBuffer slice(final ByteBuffer buf, final int offset) {
        return buf.duplicate().clear().position(offset).slice().order(ByteOrder.nativeOrder());
    }

    /** Returns the part of a buffer that begins at an element offset; its position and limit are ignored. */
    public static CharBuffer slice(final CharBuffer buf, final int offset) {
        return buf.duplicate().clear().position(offset).slice();
    }

    /** Returns the part of a buffer that begins at an element offset; its position and limit are ignored. */
    public static ShortBuffer slice(final ShortBuffer buf, final int offset) {
        return buf.duplicate().clear().position(offset).slice();
    }

    /** Returns the part of a buffer that begins at an element offset; its position and limit are ignored. */
    public static IntBuffer slice(final IntBuffer buf, final int offset) {
        return buf.duplicate().clear().position(offset).slice();
    }

    /** Returns the part of a buffer that begins at an element offset; its position and limit are ignored. */
    public static LongBuffer slice(final LongBuffer buf, final int offset) {
        return buf.duplicate().clear().position(offset).slice();
    }

    /** Returns the part of a buffer that begins at an element offset; its position and limit are ignored. */
    public static FloatBuffer slice(final FloatBuffer buf, final int offset) {
        return buf.duplicate().clear().position(offset).slice();
    }

    /** Returns the part of a buffer that begins at an element offset; its position and limit are ignored. */
    public static DoubleBuffer slice(final DoubleBuffer buf, final int offset) {
        return buf.duplicate().clear().position(offset).slice();
    }

    /**
     * Returns a view of the part of an array that begins at an offset. Elements of datatypes with negative displacements may have data before it,
     * within the array.
     */
    public static ByteBuffer slice(final byte[] buf, final int offset) {
        return ByteBuffer.wrap(buf, offset, buf.length - offset).slice().order(ByteOrder.nativeOrder());
    }

    /** Returns a view of the part of an array that begins at an offset, as {@link #slice(byte[], int)} does. */
    public static CharBuffer slice(final char[] buf, final int offset) {
        return CharBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /** Returns a view of the part of an array that begins at an offset, as {@link #slice(byte[], int)} does. */
    public static ShortBuffer slice(final short[] buf, final int offset) {
        return ShortBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /** Returns a view of the part of an array that begins at an offset, as {@link #slice(byte[], int)} does. */
    public static IntBuffer slice(final int[] buf, final int offset) {
        return IntBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /** Returns a view of the part of an array that begins at an offset, as {@link #slice(byte[], int)} does. */
    public static LongBuffer slice(final long[] buf, final int offset) {
        return LongBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /** Returns a view of the part of an array that begins at an offset, as {@link #slice(byte[], int)} does. */
    public static FloatBuffer slice(final float[] buf, final int offset) {
        return FloatBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    /** Returns a view of the part of an array that begins at an offset, as {@link #slice(byte[], int)} does. */
    public static DoubleBuffer slice(final double[] buf, final int offset) {
        return DoubleBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    private static Bindings bindings() {
        try {
            return Bindings.of(MPI.class.getClassLoader());
        } catch (final NoClassDefFoundError e) {
            // started as a plain program, with this jar and not with those that it needs
            throw new IllegalStateException(Bindings.NO_RANK, e);
        }
    }
}
