package mpi;

/**
 * What became of a message or request.
 *
 * <p>The one of a call that has nothing to tell has source {@code MPI.ANY_SOURCE}, tag {@code MPI.ANY_TAG} and no elements. Not safe for
 * several threads while it is changed.
 */
public final class Status {
    private final int index;
    private final int error;
    private int source;
    private int tag;
    private long bytes;
    private boolean isCancelled;

    Status(final tutti.runtime.request.Status from) {
        this(from, Constants.UNDEFINED);
    }

    /** Of the request at an index of an array. */
    Status(final tutti.runtime.request.Status from, final int index) {
        this(from, index, Constants.SUCCESS);
    }

    /** Of a request that failed with an error. */
    Status(final tutti.runtime.request.Status from, final int index, final int error) {
        this.source = from.source();
        this.tag = from.tag();
        this.bytes = from.bytes();
        this.isCancelled = from.cancelled();
        this.index = index;
        this.error = error;
    }

    /** Elements of the type that were received; {@code MPI.UNDEFINED} when that is no whole number or more than an int holds. */
    public int getCount(final Datatype type) throws MPIException {
        final long size = Datatype.checked(type).size();
        if (size == 0) {
            return bytes == 0 ? 0 : Constants.UNDEFINED;
        }
        return bytes % size == 0 ? narrow(bytes / size) : Constants.UNDEFINED;
    }

    /** Whether the request was cancelled. */
    public boolean isCancelled() throws MPIException {
        return isCancelled;
    }

    /** Basic elements that were received; {@code MPI.UNDEFINED} when that is no whole number or more than an int holds. */
    public int getElements(final Datatype type) throws MPIException {
        return narrow(elements(type));
    }

    /** As {@link #getElements}, up to 64 bits. */
    public Count getElementsX(final Datatype type) throws MPIException {
        return new Count(elements(type));
    }

    /** Sets what {@link #getElements} says. */
    public void setElements(final Datatype type, final int count) throws MPIException {
        set(type, count);
    }

    /** Sets what {@link #getElementsX} says. */
    public void setElementsX(final Datatype type, final Count count) throws MPIException {
        set(type, count.getCount());
    }

    /** Sets what {@link #isCancelled} says. */
    public void setCancelled(final boolean flag) throws MPIException {
        isCancelled = flag;
    }

    /** The rank that sent the message. */
    public int getSource() {
        return source;
    }

    /** The tag of the message. */
    public int getTag() {
        return tag;
    }

    /** Sets what {@link #getSource} says, in the complete function of a generalized request. Not in Open MPI's bindings. */
    public void setSource(final int rank) {
        source = rank;
    }

    /** Sets what {@link #getTag} says, in the complete function of a generalized request. Not in Open MPI's bindings. */
    public void setTag(final int newTag) {
        tag = newTag;
    }

    /**
     * The error code of the request. It is {@code MPI.SUCCESS} but for some of {@link MPIException#getStatuses}: a call that failed throws,
     * and returns no status.
     */
    public int getError() {
        return error;
    }

    /** The index of the request in the array of the call, {@code MPI.UNDEFINED} when no request of it was active. */
    public int getIndex() {
        return index;
    }

    /** As the runtime passes it on. */
    tutti.runtime.request.Status toHandle() {
        return new tutti.runtime.request.Status(source, tag, bytes, isCancelled);
    }

    private long elements(final Datatype type) throws MPIException {
        final long n = Datatype.checked(type).elements(bytes);
        return n < 0 ? Constants.UNDEFINED : n;
    }

    private void set(final Datatype type, final long elements) throws MPIException {
        final tutti.runtime.datatype.Datatype handle = Datatype.checked(type);
        if (elements < 0) {
            throw ErrorHandling.error(Constants.ERR_ARG, "count is negative: count=" + elements);
        }
        bytes = handle.elementBytes(elements);
    }

    private static int narrow(final long n) {
        return n > Integer.MAX_VALUE ? Constants.UNDEFINED : (int) n;
    }
}
