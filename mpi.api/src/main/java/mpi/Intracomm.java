package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.error.MpiFailure;

/** A communicator of one group: {@code MPI.COMM_WORLD} for one. Threads as the rank's thread level says. */
public class Intracomm extends Comm {

    Intracomm(final Communicator handle, final String name) {
        super(handle, name);
    }

    @Override
    Intracomm like(final Communicator other) {
        return new Intracomm(other, "");
    }

    /** As {@link #dup}. */
    @Override
    public Intracomm clone() {
        return (Intracomm) super.clone();
    }

    @Override
    public Intracomm dup() throws MPIException {
        return (Intracomm) super.dup();
    }

    @Override
    public Intracomm iDup() throws MPIException {
        return (Intracomm) super.iDup();
    }

    @Override
    public Intracomm dupWithInfo(final Info hints) throws MPIException {
        return (Intracomm) super.dupWithInfo(hints);
    }

    /**
     * Makes a communicator for each colour, its ranks in the order of key, then of rank here. All ranks call it.
     *
     * @param color from 0, or {@code MPI.UNDEFINED} to take no part
     * @return one for which {@link #isNull} holds when this rank takes no part
     */
    public final Intracomm split(final int color, final int key) throws MPIException {
        checkUsable();
        try {
            return made(handle.split(color, key));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** As {@link #split}, with the nodes as colours for {@link #TYPE_SHARED}; {@code MPI.UNDEFINED} as type takes no part. */
    public final Intracomm splitType(final int splitType, final int key, final Info hints) throws MPIException {
        checkUsable();
        if (splitType != TYPE_SHARED && splitType != Constant.UNDEFINED) {
            throw raise(Constant.ERR_ARG, "no such split type: type=" + splitType + ", known=Comm.TYPE_SHARED, MPI.UNDEFINED");
        }
        try {
            return made(splitType == TYPE_SHARED ? handle.splitByNode(key) : handle.split(splitType, key));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Makes a communicator of a group. All ranks call it, with groups that are the same or do not overlap.
     *
     * @return one for which {@link #isNull} holds when this rank is not in its group
     */
    public final Intracomm create(final Group group) throws MPIException {
        checkUsable();
        final tutti.runtime.comm.Group members = Group.of(group);
        try {
            return made(handle.create(members));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** As {@link #create}, but only the ranks of the group call it; the tag tells it from calls of other threads at the same time. */
    public final Intracomm createGroup(final Group group, final int tag) throws MPIException {
        checkUsable();
        final tutti.runtime.comm.Group members = Group.of(group);
        try {
            return made(handle.createGroup(members, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** What programs see of a communicator that was made of this one; null for none. */
    private Intracomm made(final Communicator other) {
        final Intracomm comm = other == null ? new Intracomm(handle.owner().noCommunicator(), "MPI_COMM_NULL") : new Intracomm(other, "");
        comm.errhandler = errhandler;
        return comm;
    }

    /** Rank i gets the reduction of the data of ranks 0 to i. */
    public final void scan(final Object sendBuf, final Object recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        wait.scan(sendBuf, recvBuf, count, type, op);
    }

    /** As {@link #scan(Object, Object, int, Datatype, Op)} with long counts. */
    public final void scan(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        wait.scan(sendBuf, recvBuf, count, type, op);
    }

    /** Scans in place. */
    public final void scan(final Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        wait.scan(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** As {@link #scan(Object, int, Datatype, Op)} with long counts. */
    public final void scan(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        wait.scan(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** Rank i gets the reduction of the data of ranks 0 to i-1; rank 0 gets nothing. */
    public final void exScan(final Object sendBuf, final Object recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        wait.exScan(sendBuf, recvBuf, count, type, op);
    }

    /** As {@link #exScan(Object, Object, int, Datatype, Op)} with long counts. */
    public final void exScan(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        wait.exScan(sendBuf, recvBuf, count, type, op);
    }

    /** Scans exclusively in place. */
    public final void exScan(final Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        wait.exScan(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** As {@link #exScan(Object, int, Datatype, Op)} with long counts. */
    public final void exScan(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        wait.exScan(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** Starts {@link #scan(Object, Object, int, Datatype, Op)}. */
    public final Request iScan(final Buffer sendBuf, final Buffer recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(start.scan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #scan(Object, Object, int, Datatype, Op)} on arrays, too, with long counts. */
    public final Request iScan(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(start.scan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #scan(Object, int, Datatype, Op)}. */
    public final Request iScan(final Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(start.scan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #scan(Object, int, Datatype, Op)} on arrays, too, with long counts. */
    public final Request iScan(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(start.scan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #exScan(Object, Object, int, Datatype, Op)}. */
    public final Request iExScan(final Buffer sendBuf, final Buffer recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(start.exScan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #exScan(Object, Object, int, Datatype, Op)} on arrays, too, with long counts. */
    public final Request iExScan(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(start.exScan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #exScan(Object, int, Datatype, Op)}. */
    public final Request iExScan(final Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(start.exScan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #exScan(Object, int, Datatype, Op)} on arrays, too, with long counts. */
    public final Request iExScan(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(start.exScan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Makes a request for {@link #scan(Object, Object, int, Datatype, Op)}. */
    public final Prequest scanInit(final Object sendBuf, final Object recvBuf, final long count, final Datatype type,
        final Op op) throws MPIException {
        return persistent(made.scan(sendBuf, recvBuf, count, type, op));
    }

    /** Makes a request for {@link #scan(Object, int, Datatype, Op)}. */
    public final Prequest scanInit(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return persistent(made.scan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Makes a request for {@link #exScan(Object, Object, int, Datatype, Op)}. */
    public final Prequest exScanInit(final Object sendBuf, final Object recvBuf, final long count, final Datatype type,
        final Op op) throws MPIException {
        return persistent(made.exScan(sendBuf, recvBuf, count, type, op));
    }

    /** Makes a request for {@link #exScan(Object, int, Datatype, Op)}. */
    public final Prequest exScanInit(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return persistent(made.exScan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }
}
