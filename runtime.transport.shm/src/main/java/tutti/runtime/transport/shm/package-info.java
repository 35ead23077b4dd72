/**
 * Transport between the processes of one host over shared memory. Nothing here is exported.
 *
 * <pre>{@code
 * ShmTransport -> ConnectorHandshake ----------------+
 *              -> ShmListener -> AcceptorHandshake --+-> ShmLink -> RingWriter, RingReader -> SharedRegion
 * IoLoop: the I/O thread, which serves ShmListener, AcceptorHandshake, and each ShmLink that no thread polls
 * ShmLink.bulk -> CmaAccess -> CmaEndpoint -> ProcessMemory (functions of Linux)
 * }</pre>
 */
@NullMarked
package tutti.runtime.transport.shm;

import org.jspecify.annotations.NullMarked;
