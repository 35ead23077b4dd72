/** Modules that come and go while daemons run: what one node does, and how the nodes do it together. */
package tutti.daemon.modules;
