/**
 * The {@code tutti} command. Its classes run on the launcher's class path, not in the container, and print to the standard streams.
 *
 * <pre>{@code
 * Main -> DaemonCommand -> NodeProcess -> launch.FelixContainer (one node)
 *      -> RunCommand, ExplainCommand, BenchCommand -> JobOptions -> RunCluster (without --connect), JobConsole -> Client
 *                                                                  RunCluster -> hosts.LaunchCommand (local JVM, ssh, srun)
 *      -> TuneCommand -> TuneCluster -> JobConsole -> Client
 *      -> NodesCommand, PsCommand, ChangeCommand, ... -> Client -> channel.Conversation -> daemon
 * }</pre>
 */
@NullMarked
package tutti.cli;

import org.jspecify.annotations.NullMarked;
