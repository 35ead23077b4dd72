package tutti.daemon.control;

import tutti.runtime.transport.Transport;

/**
 * What a node does for the parts of jobs that communicate with other jobs.
 *
 * @param transport the node's own transport
 * @param names     names of ports
 */
record PartSupport(Transport transport, PublishedNames names) {
}
