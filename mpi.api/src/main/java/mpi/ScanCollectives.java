package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;

/** The scan operations in blocking, nonblocking and persistent form. Only communicators of one group have them. */
abstract class ScanCollectives extends Comm {

    ScanCollectives(final Communicator handle, final String name) {
        super(handle, name);
    }

    /**
     * Computes an inclusive prefix reduction: rank i gets the reduction of the data of ranks 0 to i.
     *
     * @param sendBuf data of the calling rank
     * @param recvBuf receives the result
     * @param count   number of elements
     * @param type    datatype of the elements
     * @param op      reduction operation
     */
    public final void scan(final Object sendBuf, final Object recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.scan(sendBuf, recvBuf, count, type, op);
    }

    /** Performs {@link #scan(Object, Object, int, Datatype, Op)} with {@code long} counts. */
    public final void scan(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.scan(sendBuf, recvBuf, count, type, op);
    }

    /**
     * Computes an inclusive prefix reduction in place.
     *
     * @param buf   the data of the calling rank and the result
     * @param count number of elements
     * @param type  datatype of the elements
     * @param op    reduction operation
     */
    public final void scan(final Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.scan(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** Performs {@link #scan(Object, int, Datatype, Op)} with {@code long} counts. */
    public final void scan(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.scan(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /**
     * Computes an exclusive prefix reduction: rank i gets the reduction of the data of ranks 0 to i-1; the receive buffer of rank 0 does not
     * change.
     *
     * @param sendBuf data of the calling rank
     * @param recvBuf receives the result
     * @param count   number of elements
     * @param type    datatype of the elements
     * @param op      reduction operation
     */
    public final void exScan(final Object sendBuf, final Object recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.exScan(sendBuf, recvBuf, count, type, op);
    }

    /** Performs {@link #exScan(Object, Object, int, Datatype, Op)} with {@code long} counts. */
    public final void exScan(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.exScan(sendBuf, recvBuf, count, type, op);
    }

    /**
     * Computes an exclusive prefix reduction in place.
     *
     * @param buf   the data of the calling rank and the result
     * @param count number of elements
     * @param type  datatype of the elements
     * @param op    reduction operation
     */
    public final void exScan(final Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.exScan(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** Performs {@link #exScan(Object, int, Datatype, Op)} with {@code long} counts. */
    public final void exScan(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.exScan(CollectiveCalls.IN_PLACE, buf, count, type, op);
    }

    /** Starts {@link #scan(Object, Object, int, Datatype, Op)}. */
    public final Request iScan(final Buffer sendBuf, final Buffer recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.scan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #scan(Object, Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iScan(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.scan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #scan(Object, int, Datatype, Op)}. */
    public final Request iScan(final Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.scan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #scan(Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iScan(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.scan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #exScan(Object, Object, int, Datatype, Op)}. */
    public final Request iExScan(final Buffer sendBuf, final Buffer recvBuf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.exScan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #exScan(Object, Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iExScan(final Object sendBuf, final Object recvBuf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.exScan(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #exScan(Object, int, Datatype, Op)}. */
    public final Request iExScan(final Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.exScan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #exScan(Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iExScan(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.exScan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Creates a persistent request for {@link #scan(Object, Object, int, Datatype, Op)}. */
    public final Prequest scanInit(final Object sendBuf, final Object recvBuf, final long count, final Datatype type,
        final Op op) throws MPIException {
        return persistent(persistent.scan(sendBuf, recvBuf, count, type, op));
    }

    /** Creates a persistent request for {@link #scan(Object, int, Datatype, Op)}. */
    public final Prequest scanInit(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.scan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }

    /** Creates a persistent request for {@link #exScan(Object, Object, int, Datatype, Op)}. */
    public final Prequest exScanInit(final Object sendBuf, final Object recvBuf, final long count, final Datatype type,
        final Op op) throws MPIException {
        return persistent(persistent.exScan(sendBuf, recvBuf, count, type, op));
    }

    /** Creates a persistent request for {@link #exScan(Object, int, Datatype, Op)}. */
    public final Prequest exScanInit(final Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.exScan(CollectiveCalls.IN_PLACE, buf, count, type, op));
    }
}
