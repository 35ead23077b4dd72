/** What a cluster holds, as tables for people, and the commands of a console inside a node's container. */
package tutti.daemon.console;
