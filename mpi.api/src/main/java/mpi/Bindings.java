package mpi;

import java.util.Map;
import org.osgi.framework.Bundle;
import org.osgi.framework.FrameworkUtil;
import tutti.coll.ThreadLevel;
import tutti.runtime.comm.Rank;
import tutti.runtime.comm.RankScope;
import tutti.runtime.error.MpiFailure;

/**
 * Internal: what class MPI of one rank gets from the classes that all ranks of a node share. Not for programs.
 *
 * <p>Every rank has a class MPI of its own, which lives in another run-time package than this class and so sees only what is public.
 * One object per rank; as safe for threads as the rank.
 */
public final class Bindings {
    private final Rank rank;
    private final Intracomm world;
    private final Intracomm self;
    private final ErrorCodes codes = new ErrorCodes();
    private final Keyvals keyvals = new Keyvals();

    private Bindings(final Rank rank) {
        this.rank = rank;
        this.world = new Intracomm(rank.world(), "MPI_COMM_WORLD");
        this.self = new Intracomm(rank.self(), "MPI_COMM_SELF");
        rank.api(this);
    }

    /** Those of a rank; null when it is through with MPI. */
    static Bindings of(final Rank rank) {
        return (Bindings) rank.api();
    }

    /** The error codes of the rank. */
    ErrorCodes errorCodes() {
        return codes;
    }

    /** The keys of attributes of the rank. */
    Keyvals keyvals() {
        return keyvals;
    }

    /**
     * What the class MPI that a loader defined gets.
     *
     * @throws IllegalStateException when the loader is not that of a rank
     */
    public static Bindings of(final ClassLoader loader) {
        if (loader instanceof RankScope scope) {
            return new Bindings(scope.rank());
        }
        throw new IllegalStateException("programs that use MPI do not run by themselves, run this program with: tutti run -n RANKS PROGRAM");
    }

    /** COMM_WORLD. */
    public Intracomm world() {
        return world;
    }

    /** COMM_SELF. */
    public Intracomm self() {
        return self;
    }

    /** A predefined operation by its name without {@code MPI_}. */
    public Op op(final String name) {
        return new Op(Predefined.op(name));
    }

    /** A predefined type by its name without {@code MPI_}. */
    public Datatype datatype(final String name) {
        return Datatype.predefined(Predefined.datatype(name));
    }

    /** The type of a predefined structure. */
    public Datatype datatype(final Struct predefined) {
        return predefined.type();
    }

    /** Pairs of two ints. */
    public Int2 int2() {
        return new Int2();
    }

    /** Pairs of a short and an int. */
    public ShortInt shortInt() {
        return new ShortInt();
    }

    /** Pairs of a long and an int. */
    public LongInt longInt() {
        return new LongInt();
    }

    /** Pairs of a float and an int. */
    public FloatInt floatInt() {
        return new FloatInt();
    }

    /** Pairs of a double and an int. */
    public DoubleInt doubleInt() {
        return new DoubleInt();
    }

    /** The null request. */
    public Request nullRequest() {
        return Request.NULL;
    }

    /** The group without ranks. */
    public Group emptyGroup() {
        return Group.EMPTY;
    }

    /** No hints. */
    public Info nullInfo() {
        return Info.NULL;
    }

    /** What is known of how the program was started. */
    public Info environment() {
        return Info.fixed(Map.of("maxprocs", Integer.toString(rank.worldSize()), "host", rank.nodeName(),
            "arch", System.getProperty("os.arch"), "wdir", System.getProperty("user.dir")));
    }

    /** A version of the standard. */
    public Version version(final int version, final int subVersion) {
        return new Version(version, subVersion);
    }

    /** The name and version of this library. */
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

    /** The error handlers that MPI defines, by their names without {@code MPI_}. */
    public Errhandler errhandler(final String name) {
        return switch (name) {
            case "ERRORS_ARE_FATAL" -> Errhandler.FATAL;
            case "ERRORS_ABORT" -> Errhandler.ABORT;
            case "ERRORS_RETURN" -> Errhandler.RETURN;
            default -> throw new IllegalArgumentException("no such error handler: name=" + name);
        };
    }

    /** A new error class. */
    public int addErrorClass() throws MPIException {
        InitState.check(rank);
        return codes.addClass();
    }

    /** A new error code of a class. */
    public int addErrorCode(final int errorClass) throws MPIException {
        InitState.check(rank);
        if (!codes.isClass(errorClass)) {
            throw raise(Constants.ERR_ARG, "no such error class: class=" + errorClass);
        }
        return codes.addCode(errorClass);
    }

    /** Gives an error code of the program's a text. */
    public void addErrorString(final int errorCode, final String text) throws MPIException {
        InitState.check(rank);
        if (!codes.isAdded(errorCode)) {
            throw raise(Constants.ERR_ARG, "not an error code of the program's own: code=" + errorCode);
        }
        if (text == null || text.length() >= Constants.MAX_ERROR_STRING) {
            throw raise(Constants.ERR_ARG, "text of an error out of range: length=" + (text == null ? null : text.length()) + ", range=0.."
                + (Constants.MAX_ERROR_STRING - 1));
        }
        codes.setText(errorCode, text);
    }

    /** What an error code means. */
    public String errorString(final int errorCode) throws MPIException {
        checkCode(errorCode);
        return codes.text(errorCode);
    }

    /** The class of an error code. */
    public int errorClass(final int errorCode) throws MPIException {
        checkCode(errorCode);
        return codes.classOf(errorCode);
    }

    private void checkCode(final int errorCode) throws MPIException {
        if (!codes.isKnown(errorCode)) {
            throw raise(Constants.ERR_ARG, "no such error code: code=" + errorCode + ", last=" + codes.lastUsed());
        }
    }

    /** Init, with the number of a thread level; returns that of the level which the rank has. */
    public int init(final int required) throws MPIException {
        final ThreadLevel[] levels = ThreadLevel.values();
        if (required < 0 || required >= levels.length) {
            throw raise(Constants.ERR_ARG, "thread level out of range: required=" + required + ", range=0.." + (levels.length - 1));
        }
        try {
            return rank.init(levels[required]).ordinal();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Finalize. */
    public void finish() throws MPIException {
        InitState.check(rank);
        // the standard has these go first, so that libraries can end what they keep here
        self.attributes.clear();
        try {
            rank.finish();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Whether Init was called. */
    public boolean isInitialized() {
        return rank.isInitialized();
    }

    /** Whether Finalize was called. */
    public boolean isFinalized() {
        return rank.isFinished();
    }

    /** The number of the thread level. */
    public int threadLevel() throws MPIException {
        InitState.check(rank);
        return rank.threadLevel().ordinal();
    }

    /** Whether the calling thread is the one that called Init. */
    public boolean isMainThread() throws MPIException {
        InitState.check(rank);
        return rank.isMainThread();
    }

    /** The name of the node. */
    public String nodeName() throws MPIException {
        InitState.check(rank);
        return rank.nodeName();
    }

    /** Takes the program's buffer for buffered sends. They have memory of their own, so its room is only counted. */
    public void attach(final byte[] buffer) throws MPIException {
        InitState.check(rank);
        try {
            rank.sendBuffer().attach(buffer);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Waits until all messages have left the program's buffer, and gives it back. */
    public byte[] detach() throws MPIException {
        InitState.check(rank);
        try {
            return rank.sendBuffer().detach();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
