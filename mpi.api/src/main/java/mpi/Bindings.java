package mpi;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.FrameworkUtil;
import tutti.coll.advanced.ThreadLevel;
import tutti.runtime.checkpoint.RankCheckpoints;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.comm.RankScope;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.model.MpiFailure;

/**
 * Internal: the state of one rank that class MPI uses, and the entry to the classes that all ranks of a node share. Not for use by programs.
 *
 * <p>Every rank has a class MPI of its own. It belongs to another run-time package than this class and can access public members only. There is
 * one object per rank. As thread-safe as the rank.
 */
public final class Bindings {
    /** Why a program cannot run; a constant, since class MPI of a program outside of a rank cannot load this class. */
    static final String NO_RANK = "programs that use MPI do not run by themselves, run this program with: tutti run -n RANKS PROGRAM; a development "
        + "environment runs it by tutti.junit.RankLauncher";

    private final Rank rank;
    private final Intracomm world;
    private final Intracomm self;
    private @Nullable Intercomm parent;
    /** Made by Init. */
    private volatile @Nullable RankCheckpoints checkpoints;
    private final ErrorCodes codes = new ErrorCodes();
    private final Keyvals keyvals = new Keyvals();
    private final Map<String, Datatype> datatypes = new ConcurrentHashMap<>();
    private final Info environment;

    private Bindings(final Rank rank) {
        this.rank = rank;
        this.world = new Intracomm(rank.world(), "MPI_COMM_WORLD");
        this.self = new Intracomm(rank.self(), "MPI_COMM_SELF");
        this.environment = environment(rank.job(), rank.worldRank());
        if (rank.isInitialized()) {
            nameThreadLevel();
        }
        rank.api(this);
    }

    /** Returns the bindings of a rank that has not finished with MPI. */
    public static Bindings of(final Rank rank) {
        return Objects.requireNonNull(find(rank), "the rank has finished with MPI");
    }

    /** Returns the bindings of a rank; null when the rank has finished with MPI. */
    static @Nullable Bindings find(final Rank rank) {
        return (Bindings) rank.api();
    }

    /** Returns the communicator to the processes that spawned the job; the null communicator if none did. */
    synchronized Intercomm parent() {
        Intercomm known = parent;
        if (known == null) {
            final Communicator handle = rank.parent();
            known = handle == null ? Intercomm.nullComm(rank) : new Intercomm(handle, "MPI_COMM_PARENT");
            parent = known;
        }
        return known;
    }

    /** Returns the error codes of the rank. */
    ErrorCodes errorCodes() {
        return codes;
    }

    /** Returns the attribute keys of the rank. */
    Keyvals keyvals() {
        return keyvals;
    }

    /**
     * Creates the bindings for the class MPI that a loader defined.
     *
     * @throws IllegalStateException if the loader is not that of a rank
     */
    public static Bindings of(final ClassLoader loader) {
        if (loader instanceof RankScope scope) {
            return new Bindings(scope.rank());
        }
        throw new IllegalStateException(NO_RANK);
    }

    /** Returns COMM_WORLD. */
    public Intracomm world() {
        return world;
    }

    /** Returns COMM_SELF. */
    public Intracomm self() {
        return self;
    }

    /** Returns a predefined operation by its name without {@code MPI_}. */
    public Op op(final String name) {
        return new Op(Predefined.op(name));
    }

    /** Returns a predefined datatype by its name without {@code MPI_}; the same one for each call. */
    public Datatype datatype(final String name) {
        return datatypes.computeIfAbsent(name, n -> Datatype.predefined(Predefined.datatype(n)));
    }

    /** Returns the datatype of a predefined structure. */
    public Datatype datatype(final Struct predefined) {
        return predefined.type();
    }

    /** Creates the structure of two ints. */
    public Int2 int2() {
        return new Int2();
    }

    /** Creates the structure of a short and an int. */
    public ShortInt shortInt() {
        return new ShortInt();
    }

    /** Creates the structure of a long and an int. */
    public LongInt longInt() {
        return new LongInt();
    }

    /** Creates the structure of a float and an int. */
    public FloatInt floatInt() {
        return new FloatInt();
    }

    /** Creates the structure of a double and an int. */
    public DoubleInt doubleInt() {
        return new DoubleInt();
    }

    /** Returns the null request. */
    public Request nullRequest() {
        return Request.NULL;
    }

    /** Returns the group without ranks. */
    public Group emptyGroup() {
        return Group.EMPTY;
    }

    /** Returns the null info. */
    public Info nullInfo() {
        return Info.NULL;
    }

    /** Returns the info that describes how the program was started. */
    public Info environment() {
        return environment;
    }

    private static Info environment(final JobSpec job, final int worldRank) {
        final Map<String, String> entries = new LinkedHashMap<>();
        final JobProgram program = job.programOf(worldRank);
        final String ranks = Integer.toString(program.requested());
        entries.put("command", program.mainClass());
        entries.put("argv", String.join(" ", program.args()));
        entries.put("maxprocs", ranks);
        entries.put("soft", ranks);
        entries.put("host", HostName.get());
        entries.put("arch", System.getProperty("os.arch", "unknown"));
        entries.put("wdir", Path.of("").toAbsolutePath().toString());
        entries.put("file", job.classPath().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
        return Info.fixed(entries);
    }

    private void nameThreadLevel() {
        environment.putFixed("thread_level", "MPI_THREAD_" + rank.threadLevel().name());
    }

    /** Creates a version of the standard. */
    public Version version(final int version, final int subVersion) {
        return new Version(version, subVersion);
    }

    /** Returns the name and version of this library. */
    public String library() {
        final Bundle bundle = FrameworkUtil.getBundle(Bindings.class);
        return bundle == null ? "Tutti" : "Tutti " + bundle.getVersion();
    }

    private MPIException raise(final MpiFailure failure) {
        return ErrorHandling.on(world, failure);
    }

    private MPIException raise(final int errorClass, final String message) {
        return world.raise(errorClass, message);
    }

    /** Returns a predefined error handler by its name without {@code MPI_}. */
    public Errhandler errhandler(final String name) {
        return switch (name) {
            case "ERRORS_ARE_FATAL" -> Errhandler.FATAL;
            case "ERRORS_ABORT" -> Errhandler.ABORT;
            case "ERRORS_RETURN" -> Errhandler.RETURN;
            default -> throw new IllegalArgumentException("no such error handler: name=" + name);
        };
    }

    /** Adds an error class. */
    public int addErrorClass() throws MPIException {
        InitState.check(rank);
        return codes.addClass();
    }

    /** Adds an error code to a class. */
    public int addErrorCode(final int errorClass) throws MPIException {
        InitState.check(rank);
        if (!codes.isClass(errorClass)) {
            // Cause: `addErrorCode` adds to a class that exists. Remedy: a class of the standard or of `addErrorClass`.
            throw raise(MPI.ERR_ARG, "no such error class: class=" + errorClass);
        }
        return codes.addCode(errorClass);
    }

    /** Associates a text with an error code that the program added. */
    public void addErrorString(final int errorCode, final String text) throws MPIException {
        InitState.check(rank);
        if (!codes.isAdded(errorCode)) {
            // Cause: codes and classes of the standard have fixed texts. Remedy: a code of `addErrorCode` or a class of `addErrorClass`.
            throw raise(MPI.ERR_ARG, "error code was not added by the program: code=" + errorCode);
        }
        if (text == null || text.length() >= MPI.MAX_ERROR_STRING) {
            // Cause: the text of an error code is longer than `MPI.MAX_ERROR_STRING`, or null. Remedy: a shorter text.
            throw raise(MPI.ERR_ARG, "length of error text out of range: length=" + (text == null ? null : text.length()) + ", range=0.."
                + (MPI.MAX_ERROR_STRING - 1));
        }
        codes.setText(errorCode, text);
    }

    /** Returns the text of an error code. */
    public String errorString(final int errorCode) throws MPIException {
        checkCode(errorCode);
        return codes.text(errorCode);
    }

    /** Returns the class of an error code. */
    public int errorClass(final int errorCode) throws MPIException {
        checkCode(errorCode);
        return codes.classOf(errorCode);
    }

    private void checkCode(final int errorCode) throws MPIException {
        if (!codes.isKnown(errorCode)) {
            // Cause: nobody has added the code. Remedy: a code up to the last one.
            throw raise(MPI.ERR_ARG, "no such error code: code=" + errorCode + ", last=" + codes.lastUsed());
        }
    }

    /** Initializes MPI with the number of a thread level; returns the number of the level that the rank has. */
    public int init(final int required) throws MPIException {
        final ThreadLevel[] levels = ThreadLevel.values();
        if (required < 0 || required >= levels.length) {
            // Cause: `InitThread` takes the four levels of the standard. Remedy: one of the constants `MPI.THREAD_...`.
            throw raise(MPI.ERR_ARG, "thread level out of range: required=" + required + ", range=0.." + (levels.length - 1));
        }
        return init(() -> rank.init(levels[required]));
    }

    /** Initializes MPI for a program that asks for no thread level; returns the number of the level that the rank has. */
    public int init() throws MPIException {
        return init(rank::init);
    }

    private int init(final Supplier<ThreadLevel> initialization) throws MPIException {
        try {
            final ThreadLevel provided = initialization.get();
            nameThreadLevel();
            checkpoints = RankCheckpoints.of(rank);
            return provided.ordinal();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Returns the checkpoints of the rank that holds a communicator.
     *
     * @throws MPIException unless the communicator has all ranks of the job in one group, and these have restored their states if they must
     */
    public static RankCheckpoints checkpoints(final Comm comm) throws MPIException {
        final RankCheckpoints current = ofAll(comm);
        if (!current.isFor(comm.handle)) {
            // Cause: the communicator has other ranks in the places of failed ones. Remedy: `Checkpoint.of` with it, on all ranks.
            throw comm.raise(MPI.ERR_COMM, "the states were not restored on this communicator: comm=" + comm.handle.name()
                + "; call Checkpoint.of with it, on all ranks");
        }
        return current;
    }

    /**
     * Returns the checkpoints of the rank that holds a communicator, with restored states where its ranks must restore them.
     *
     * @param always whether they must in any case
     */
    public static RankCheckpoints restored(final Comm comm, final boolean always) throws MPIException {
        RankCheckpoints current = ofAll(comm);
        if (always || !current.isFor(comm.handle)) {
            try {
                current = current.restore(comm.handle);
            } catch (final MpiFailure e) {
                throw raise(comm, e);
            }
            of(comm.handle.owner()).checkpoints = current;
        }
        return current;
    }

    private static RankCheckpoints ofAll(final Comm comm) throws MPIException {
        comm.checkUsable();
        final Rank rank = comm.handle.owner();
        if (comm.handle.isInter() || comm.handle.spansJobs() || comm.handle.size() != rank.worldSize()) {
            // Cause: some ranks would not be saved. Remedy: `MPI.COMM_WORLD` or a duplicate of it.
            throw comm.raise(MPI.ERR_COMM, "a checkpoint needs a communicator with all ranks of the job: size=" + comm.handle.size() + ", job="
                + rank.worldSize());
        }
        return Objects.requireNonNull(of(rank).checkpoints, "Init makes it");
    }

    /** Returns the runtime's communicator. */
    public static Communicator handle(final Comm comm) {
        return comm.handle;
    }

    /** Returns the communicator of an object: itself, or that on which a window or a file raises errors; null for none that can be used. */
    public static @Nullable Comm commOf(final @Nullable Object object) {
        return switch (object) {
            case final Comm c when !c.isNull() -> c;
            case final Win w when !w.isNull() -> w.raiser();
            case final mpi.File f when !f.isClosed() -> f.raiser();
            case null, default -> null;
        };
    }

    /** Returns a text that describes the members and the topology of a communicator, whose ranks have these checkpoints. */
    public static String shape(final Comm comm, final RankCheckpoints checkpoints) {
        final Topology topology = comm.topology();
        return comm.getClass().getSimpleName() + " of ranks " + describe(comm.handle.group(), checkpoints)
            + (topology == null ? "" : " with " + topology.describe());
    }

    private static String describe(final tutti.runtime.model.Group members, final RankCheckpoints checkpoints) {
        return Arrays.toString(checkpoints.places(members));
    }

    /** Returns a text that describes the members of a group, for a rank with these checkpoints. */
    public static String shape(final Group group, final RankCheckpoints checkpoints) throws MPIException {
        return "Group of ranks " + describe(Group.of(group), checkpoints);
    }

    /** Returns a text that describes the layout of a datatype. */
    public static String shape(final Datatype type) throws MPIException {
        return Datatype.checked(type).description();
    }

    /** Converts a failure of the runtime to the error of a call on a communicator, whose error handler is called. */
    public static MPIException raise(final Comm comm, final MpiFailure failure) {
        return comm.raise(failure);
    }

    /** Creates the error of a call, and calls the error handler of its communicator, or of COMM_WORLD where it has none. */
    public static MPIException raise(final @Nullable Comm comm, final int errorClass, final String message, final Throwable why) {
        return comm == null ? ErrorHandling.error(errorClass, message, why) : ErrorHandling.on(comm, errorClass, message, why);
    }

    /** Returns the bytes of data in an element of a datatype; 0 for the null datatype. */
    public static long size(final Datatype type) {
        final tutti.runtime.datatype.Datatype layout = Datatype.layoutOf(type);
        return layout.isNull() ? 0 : layout.size();
    }

    /** Finalizes MPI. */
    public void finish() throws MPIException {
        InitState.check(rank);
        // the standard deletes these attributes first, so that libraries can shut down what they store in them
        self.attributes.clear();
        try {
            rank.finish();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns whether Init was called. */
    public boolean isInitialized() {
        return rank.isInitialized();
    }

    /** Returns whether Finalize was called. */
    public boolean isFinalized() {
        return rank.isFinished();
    }

    /** Returns the number of the thread level. */
    public int threadLevel() throws MPIException {
        InitState.check(rank);
        return rank.threadLevel().ordinal();
    }

    /** Returns how many ranks had the place of this one before. */
    public int incarnation() throws MPIException {
        InitState.check(rank);
        return rank.incarnation();
    }

    /** Returns whether the calling thread is the one that called Init. */
    public boolean isMainThread() throws MPIException {
        InitState.check(rank);
        return rank.isMainThread();
    }

    /** Returns the name of the host. */
    public String hostName() throws MPIException {
        InitState.check(rank);
        return HostName.get();
    }

    /** Returns the name of the node, also where it has several JVMs for the job. */
    public String nodeName() throws MPIException {
        InitState.check(rank);
        return NodeAddress.nodeOf(rank.nodeName());
    }

    /** Attaches the program's buffer for buffered sends. Messages have memory of their own, so the bytes of the buffer are only counted. */
    public void attach(final byte[] buffer) throws MPIException {
        InitState.check(rank);
        try {
            rank.attachedBuffer().attach(buffer);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Waits until all messages have left the program's buffer, detaches it and returns it. */
    public byte[] detach() throws MPIException {
        InitState.check(rank);
        try {
            return rank.attachedBuffer().detach();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
