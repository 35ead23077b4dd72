/** Starts the container of a node. */
package tutti.daemon.launch;
