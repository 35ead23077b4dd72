package mpi;

import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;

/** The attributes of {@link Comm}: values that programs cache on a communicator, and the predefined attributes of MPI. */
abstract class CommAttributes extends NeighborCollectives {
    private static final int TAG_UB = 0;
    private static final int HOST = 1;
    private static final int IO = 2;
    private static final int WTIME_IS_GLOBAL = 3;
    private static final int APPNUM = 4;
    private static final int LASTUSEDCODE = 5;
    private static final int UNIVERSE_SIZE = 6;

    final Attributes<Comm> attributes = new Attributes<>((Comm) this);

    CommAttributes(final Communicator on) {
        super(on);
    }

    /** Creates an attribute key for communicators. Duplicates get the values unchanged. Local. */
    public static int createKeyval() throws MPIException {
        return createKeyval(null, null);
    }

    /**
     * Creates an attribute key for communicators, with callbacks. Not in Open MPI's bindings. Local.
     *
     * @param copy   computes the value that a duplicate gets; null to copy values unchanged
     * @param delete runs before an attribute is removed; null for no callback
     */
    public static int createKeyval(final AttributeCopy<? super Comm> copy, final AttributeDelete<? super Comm> delete) throws MPIException {
        return Keyvals.ofCaller().create(Comm.class, copy, delete);
    }

    /** Frees an attribute key. Attributes that have it stay, and are copied and deleted with their communicators. Local. */
    public static void freeKeyval(final int keyval) throws MPIException {
        Keyvals.ofCaller().free(Comm.class, keyval);
    }

    /** Sets an attribute; an existing value of the key is deleted first. Local. */
    public final void setAttr(final int keyval, final Object value) throws MPIException {
        attributes.set(key(keyval), value);
    }

    /**
     * Returns the value of an attribute, or null. The predefined keys are constants of class MPI: {@code TAG_UB}, {@code HOST}, {@code IO},
     * {@code APPNUM}, {@code LASTUSEDCODE} and {@code UNIVERSE_SIZE} have an Integer, {@code WTIME_IS_GLOBAL} a Boolean. Local.
     */
    public final Object getAttr(final int keyval) throws MPIException {
        checkUsable();
        final Rank rank = handle.owner();
        return switch (keyval) {
            case TAG_UB -> Communicator.TAG_UB;
            case HOST -> Communicator.PROC_NULL;
            case IO -> Communicator.ANY_SOURCE;
            case WTIME_IS_GLOBAL -> false;
            case APPNUM -> 0;
            case LASTUSEDCODE -> Bindings.of(rank).errorCodes().lastUsed();
            case UNIVERSE_SIZE -> rank.worldSize();
            default -> attributes.get(key(keyval));
        };
    }

    /** Deletes an attribute, if there is one. Local. */
    public final void deleteAttr(final int keyval) throws MPIException {
        attributes.delete(key(keyval));
    }

    private Keyvals.Keyval key(final int keyval) throws MPIException {
        checkUsable();
        return Keyvals.of(handle.owner()).get(Comm.class, keyval);
    }
}
