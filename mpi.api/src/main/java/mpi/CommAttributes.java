package mpi;

import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;

/** The attributes of {@link Comm}: what programs keep with a communicator, and what MPI tells by predefined ones. */
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

    /** A key for attributes of communicators. Values go to duplicates as they are. Local. */
    public static int createKeyval() throws MPIException {
        return createKeyval(null, null);
    }

    /**
     * A key for attributes of communicators, with functions of its own. Not in Open MPI's bindings. Local.
     *
     * @param copy   says what duplicates get; null for values as they are
     * @param delete hears that a value goes; null for nothing
     */
    public static int createKeyval(final AttributeCopy<? super Comm> copy, final AttributeDelete<? super Comm> delete) throws MPIException {
        return Keyvals.ofCaller().create(Comm.class, copy, delete);
    }

    /** Makes a key invalid. Attributes that have it stay, and are copied and deleted with their communicators. Local. */
    public static void freeKeyval(final int keyval) throws MPIException {
        Keyvals.ofCaller().free(Comm.class, keyval);
    }

    /** Keeps a value under a key; one that was there is deleted first. Local. */
    public final void setAttr(final int keyval, final Object value) throws MPIException {
        attributes.set(key(keyval), value);
    }

    /**
     * The value under a key, or null. Predefined keys are the constants of class MPI: {@code TAG_UB}, {@code HOST}, {@code IO}, {@code APPNUM},
     * {@code LASTUSEDCODE} and {@code UNIVERSE_SIZE} have an Integer, {@code WTIME_IS_GLOBAL} a Boolean. Local.
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

    /** Takes the value under a key away, if there is one. Local. */
    public final void deleteAttr(final int keyval) throws MPIException {
        attributes.delete(key(keyval));
    }

    private Keyvals.Keyval key(final int keyval) throws MPIException {
        checkUsable();
        return Keyvals.of(handle.owner()).get(Comm.class, keyval);
    }
}
