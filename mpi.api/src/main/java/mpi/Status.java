package mpi;

/**
 * The outcome of a receive or of another request.
 *
 * <p>An empty status has source {@code MPI.ANY_SOURCE}, tag {@code MPI.ANY_TAG} and no elements. Not safe for use by several threads while it is
 * changed.
 */
public final class Status {
    private final int index;
    private int error;
    private int source;
    private int tag;
    private long bytes;
    private boolean isCancelled;

    Status(final tutti.runtime.model.Status from) {
        this(from, MPI.UNDEFINED);
    }

    /** Creates the status of the request at an index of an array. */
    Status(final tutti.runtime.model.Status from, final int index) {
        this(from, index, from.error());
    }

    /** Creates the status of a request that failed with an error. */
    Status(final tutti.runtime.model.Status from, final int index, final int error) {
        this.source = from.source();
        this.tag = from.tag();
        this.bytes = from.bytes();
        this.isCancelled = from.cancelled();
        this.index = index;
        this.error = error;
    }

    /** Returns the number of elements of a datatype that were received; {@code MPI.UNDEFINED} if that is not a whole number or exceeds an int. */
    public int getCount(final Datatype type) throws MPIException {
        final long size = Datatype.checked(type).size();
        if (size == 0) {
            return bytes == 0 ? 0 : MPI.UNDEFINED;
        }
        return bytes % size == 0 ? narrow(bytes / size) : MPI.UNDEFINED;
    }

    /** Returns whether the request was cancelled. */
    public boolean isCancelled() throws MPIException {
        return isCancelled;
    }

    /**
     * Returns the number of basic elements received, those of which a derived datatype consists; {@code MPI.UNDEFINED} if that is not a whole
     * number or exceeds an int.
     */
    public int getElements(final Datatype type) throws MPIException {
        return narrow(elements(type));
    }

    /** Returns the same as {@link #getElements}, as a count of 64 bits. */
    public Count getElementsX(final Datatype type) throws MPIException {
        return new Count(elements(type));
    }

    /** Sets the number that {@link #getElements} returns. */
    public void setElements(final Datatype type, final int count) throws MPIException {
        set(type, count);
    }

    /** Sets the number that {@link #getElementsX} returns. */
    public void setElementsX(final Datatype type, final Count count) throws MPIException {
        set(type, count.getCount());
    }

    /** Sets the value that {@link #isCancelled} returns. */
    public void setCancelled(final boolean flag) throws MPIException {
        isCancelled = flag;
    }

    /** Returns the rank of the sender. */
    public int getSource() {
        return source;
    }

    /** Returns the tag of the message. */
    public int getTag() {
        return tag;
    }

    /** Sets the value that {@link #getSource} returns, in the complete function of a generalized request. Not in Open MPI's bindings. */
    public void setSource(final int rank) {
        source = rank;
    }

    /** Sets the value that {@link #getTag} returns, in the complete function of a generalized request. Not in Open MPI's bindings. */
    public void setTag(final int newTag) {
        tag = newTag;
    }

    /**
     * Sets the value that {@link #getError} returns, in the complete or query function of a generalized request. The call that waits for the request
     * returns the status and does not fail; a function that throws makes it fail. Not in Open MPI's bindings.
     */
    public void setError(final int errorCode) {
        error = errorCode;
    }

    /**
     * Returns the error code of the request. Only statuses of {@link MPIException#getStatuses}, and those of generalized requests whose function
     * set one, have a code that is not {@code MPI.SUCCESS}: a call that fails throws and returns no status.
     */
    public int getError() {
        return error;
    }

    /** Returns the index of the request in the array of the call; {@code MPI.UNDEFINED} if no request of the array was active. */
    public int getIndex() {
        return index;
    }

    /** Converts the status to that of the runtime. */
    tutti.runtime.model.Status toHandle() {
        return new tutti.runtime.model.Status(source, tag, bytes, isCancelled, error);
    }

    private long elements(final Datatype type) throws MPIException {
        final long n = Datatype.checked(type).elements(bytes);
        return n < 0 ? MPI.UNDEFINED : n;
    }

    private void set(final Datatype type, final long elements) throws MPIException {
        final tutti.runtime.datatype.Datatype handle = Datatype.checked(type);
        if (elements < 0) {
            // Cause: a number of elements of a status is below 0. Remedy: 0 or more.
            throw ErrorHandling.error(MPI.ERR_ARG, "count is negative: count=" + elements);
        }
        bytes = handle.elementBytes(elements);
    }

    private static int narrow(final long n) {
        return n > Integer.MAX_VALUE ? MPI.UNDEFINED : (int) n;
    }
}
