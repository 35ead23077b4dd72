/** The {@code tutti} command. Its classes run on the launcher's class path, not in the container; they print, as a command does. */
package tutti.daemon.command;
