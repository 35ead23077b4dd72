package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;

/** The collective operations that a communicator of one group has and one of two groups has not: scans, in every mode. */
abstract class ScanCollectives extends Comm {

    ScanCollectives(final Communicator handle, final String name) {
        super(handle, name);
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
